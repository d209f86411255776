using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace GameServer.Bots;

/// <summary>Bots that play until the crowd is stopped.</summary>
public sealed class Crowd : IAsyncDisposable
{
    private const int EnterTogether = 50;

    private readonly CancellationTokenSource _end = new();
    private readonly List<Bot> _bots = [];
    private readonly List<Task> _playing = [];

    public async Task EnterAsync(MessageEndpoint endpoint, MessageHostOptions options, int bots)
    {
        foreach (var numbers in Enumerable.Range(_bots.Count + 1, bots).Chunk(EnterTogether))
        {
            foreach (var bot in await Task.WhenAll(numbers.Select(number => Bot.EnterAsync(endpoint, options, number))))
            {
                _bots.Add(bot);
                _playing.Add(bot.PlayAsync(_end.Token));
            }
        }
    }

    /// <summary>Returns what each player has seen since the last call.</summary>
    public PlayerView[] Look() => [.. _bots.Select(static bot => bot.Look())];

    /// <summary>Stops the bots. They stay connected.</summary>
    public async Task StopAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_playing);
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await Task.WhenAll(_bots.Select(static bot => bot.DisposeAsync().AsTask()));
        _end.Dispose();
    }
}
