using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace GameConsole;

/// <summary>A game with creatures. All of its code runs on the thread of the game, also the code of its console, because the host is pumped.</summary>
public sealed class Game : IGameConsole
{
    private const int FramesBetweenNews = 12;

    private static readonly TimeSpan s_frame = TimeSpan.FromMilliseconds(16);
    private static readonly string[] s_steps = ["reading the map", "placing lamps", "tracing rays", "writing textures"];

    private readonly List<string> _creatures = [];
    private readonly List<ChannelWriter<Line>> _screens = [];
    private int _frames;

    /// <summary>Runs until the standard input ends, and therefore no longer than the process that started it.</summary>
    public static int Run(string name)
    {
        var game = new Game();
        var server = MessageHost.ListenAsync(MessageEndpoint.Local(name), host => host.AddService<IGameConsole>(game), new MessageHostOptions { IsPumped = true }).GetAwaiter().GetResult();
        using var isOver = new ManualResetEventSlim();
        _ = Task.Run(() =>
        {
            Console.In.ReadToEnd();
            isOver.Set();
        });

        Console.WriteLine("ready");
        while (!isOver.Wait(s_frame))
        {
            server.Pump();
            game.Update();
        }

        server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        return 0;
    }

    public async IAsyncEnumerable<Line> OpenAsync(IAsyncEnumerable<Command> commands, [EnumeratorCancellation] CancellationToken token = default)
    {
        var screen = Channel.CreateBounded<Line>(new BoundedChannelOptions(100) { FullMode = BoundedChannelFullMode.DropOldest });
        _screens.Add(screen.Writer);
        try
        {
            var handling = HandleAsync(commands, screen.Writer);
            await foreach (var line in screen.Reader.ReadAllAsync(token))
                yield return line;
            await handling;
        }
        finally
        {
            _screens.Remove(screen.Writer);
        }
    }

    public async Task<Baked> BakeAsync(string map, IProgress<BakeStep>? progress = null, CancellationToken token = default)
    {
        for (var percent = 0; percent <= 100; percent++)
        {
            progress?.Report(new BakeStep(percent, s_steps[Math.Min(percent / 25, s_steps.Length - 1)]));
            try
            {
                await Task.Delay(s_frame, token); // the game goes on meanwhile
            }
            catch (OperationCanceledException)
            {
                Say($"The bake of {map} was canceled at {percent} %.");
                throw;
            }
        }

        Say($"The light of {map} is baked.");
        return new Baked(map, map.Length * 12);
    }

    private async Task HandleAsync(IAsyncEnumerable<Command> commands, ChannelWriter<Line> screen)
    {
        try
        {
            await foreach (var command in commands)
                screen.TryWrite(new Line(Run(command)));
        }
        catch (OperationCanceledException)
        {
            // The tool has closed the console, or has ended.
        }

        screen.TryComplete();
    }

    private string Run(Command command)
    {
        switch (command.Text.Split(' ', 2))
        {
            case ["spawn", var creature]:
                _creatures.Add(creature);
                return $"A {creature} appears.";
            case ["list"]:
                return $"{_creatures.Count} creatures: {string.Join(", ", _creatures.Order(StringComparer.Ordinal))}.";
            default:
                return $"'{command.Text}' is not a command. The commands are: spawn NAME, list, bake MAP.";
        }
    }

    private void Update()
    {
        _frames++;
        if (_frames % FramesBetweenNews == 0 && _creatures.Count > 0)
            Say($"(frame {_frames}) The {_creatures[_frames / FramesBetweenNews % _creatures.Count]} walks.");
    }

    private void Say(string text) => _screens.ForEach(screen => screen.TryWrite(new Line(text)));
}
