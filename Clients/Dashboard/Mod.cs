using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Dashboard;

/// <summary>A mod: a client of the game in the same process. It sends events at a rate that rises and falls.</summary>
/// <param name="id">The number of the mod.</param>
/// <param name="name">The name of the mod.</param>
/// <param name="author">The author.</param>
/// <param name="version">The version.</param>
/// <param name="rate">The mean number of events per second.</param>
public sealed class Mod(int id, string name, string author, string version, int rate) : IAsyncDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(20);

    private readonly CancellationTokenSource _stopping = new();
    private MessageClient? _client;
    private Task _sending = Task.CompletedTask;
    private volatile bool _runs = true;

    /// <summary>The number of the mod.</summary>
    public int Id => id;

    /// <summary>The name of the mod.</summary>
    public string Name => name;

    /// <summary>The author of the mod.</summary>
    public string Author => author;

    /// <summary>The version of the mod.</summary>
    public string Version => version;

    /// <summary>Connects to the game and begins to send.</summary>
    public async Task StartAsync(MessageEndpoint game)
    {
        _client = await MessageHost.ConnectAsync(game, host => host.On((in Run run, Peer _) => _runs = run.Runs));
        _sending = SendAsync(_client);
    }

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        await _sending;
        if (_client is not null)
            await _client.DisposeAsync();
        _stopping.Dispose();
    }

    private async Task SendAsync(MessageClient client)
    {
        using var timer = new PeriodicTimer(s_interval);
        var (due, sent) = (0.0, 0);
        try
        {
            while (await timer.WaitForNextTickAsync(_stopping.Token))
            {
                var wave = 1 + (0.6 * Math.Sin((Environment.TickCount64 / 1000.0) + id)); // so that the plot has something to show
                due = _runs ? due + (rate * wave * s_interval.TotalSeconds) : 0;
                for (; due >= 1; due--)
                    _ = client.Send(new ModEvent(id, sent++)); // the game counts what arrives
            }
        }
        catch (OperationCanceledException)
        {
            // The game ends.
        }
    }
}
