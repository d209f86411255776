using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using GameServer.Worlds;

namespace GameServer.Bots;

/// <summary>Bots that play until the crowd is stopped.</summary>
public sealed class Crowd : IAsyncDisposable
{
    private readonly CancellationTokenSource _end = new();
    private readonly List<Bot> _bots = [];
    private readonly List<Task> _playing = [];

    public IReadOnlyList<Bot> Bots => _bots;

    public async Task EnterAsync(WorldServer server, ReadOnlyMemory<byte> token, int bots)
    {
        for (var i = 0; i < bots; i++)
        {
            var bot = await Bot.EnterAsync(server.Host.Endpoint, token, _bots.Count + 1);
            _bots.Add(bot);
            _playing.Add(bot.PlayAsync(_end.Token));
        }
    }

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
