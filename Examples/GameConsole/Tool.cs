using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace GameConsole;

/// <summary>The tool: sends commands to the console of a game, and prints the lines of the game as they arrive.</summary>
public sealed class Tool : IAsyncDisposable
{
    private readonly MessageClient _client;
    private readonly IGameConsole _game;
    private readonly Channel<Command> _commands = Channel.CreateUnbounded<Command>();
    private readonly List<(string Text, TaskCompletionSource<string> Found)> _awaited = []; // also its lock
    private readonly Task _printing;

    private Tool(MessageClient client)
    {
        _client = client;
        _game = client.GetService<IGameConsole>();
        _printing = PrintAsync();
    }

    public static async Task<Tool> ConnectAsync(string name) => new(await MessageHost.ConnectAsync(MessageEndpoint.Local(name)));

    /// <summary>The bake that runs; <c>null</c> for none. Cancel it to stop the bake.</summary>
    public CancellationTokenSource? Baking { get; private set; }

    public void Send(string command) => _commands.Writer.TryWrite(new Command(command));

    /// <summary>Returns a task that completes with the next line of the game that contains a text.</summary>
    public Task<string> WaitForAsync(string text)
    {
        var found = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_awaited)
            _awaited.Add((text, found));
        return found.Task.WaitAsync(TimeSpan.FromSeconds(30));
    }

    /// <summary>Bakes a map, and shows the progress.</summary>
    /// <returns>The last percentage, and whether the bake was completed.</returns>
    public async Task<(int Percent, bool IsComplete)> BakeAsync(string map, int cancelAt = int.MaxValue)
    {
        using var canceled = Baking = new CancellationTokenSource();
        var bar = new ProgressLine(step =>
        {
            if (step.Percent >= cancelAt)
                canceled.Cancel();
        });
        try
        {
            var baked = await _game.BakeAsync(map, bar, canceled.Token);
            bar.End($"{baked.Map} has {baked.Lamps} lamps");
            return (bar.Percent, true);
        }
        catch (OperationCanceledException)
        {
            bar.End("canceled");
            return (bar.Percent, false);
        }
        finally
        {
            Baking = null;
        }
    }

    public async ValueTask DisposeAsync()
    {
        _commands.Writer.Complete(); // the console ends with its commands
        await _printing;
        await _client.DisposeAsync();
    }

    private async Task PrintAsync()
    {
        await foreach (var line in _game.OpenAsync(_commands.Reader.ReadAllAsync()))
        {
            ProgressLine.Print($"game> {line.Text}");
            lock (_awaited)
            {
                foreach (var (text, found) in _awaited)
                {
                    if (line.Text.Contains(text, StringComparison.Ordinal))
                        found.TrySetResult(line.Text);
                }
            }
        }
    }
}
