using GameServer.Bots;
using GameServer.Worlds;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game.Flood;

/// <summary>Three authenticated but abusive players: one sends until its outbox is full, one sends invalid messages, one never reads. Each reconnects after it was disconnected.</summary>
public sealed class Troublemakers(WorldServer server, MessageHostOptions players) : IAsyncDisposable
{
    private const uint TypeOfMove = 92;

    private static readonly MessageContract<byte[]> s_noise = new(TypeOfMove, new Noise());

    private readonly CancellationTokenSource _end = new();
    private readonly MessageWriter _writer = new();
    private Task[] _running = [];
    private int _names;

    public void Start() => _running =
    [
        ComeAgainAsync(static _ => { }, FloodAsync),
        ComeAgainAsync(static _ => { }, TalkGarbageAsync),
        ComeAgainAsync(static client => client.On(WorldServer.Updates, static (in EntityUpdate _, Peer _) => { }), NeverReadAsync, isPumped: true),
    ];

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_running);
        _end.Dispose();
    }

    private async Task ComeAgainAsync(Action<MessageClient> configure, Func<MessageClient, Task> playAsync, bool isPumped = false)
    {
        // A pumped host that is never pumped reads until its queue is full, and then stops reading. Without pings, the server then receives nothing from it.
        var options = players with { IsPumped = isPumped, PumpCapacity = 64, PingInterval = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(1) };
        while (!_end.IsCancellationRequested)
        {
            try
            {
                await using var client = await MessageHost.ConnectAsync(server.Host.Endpoint, configure, options, _end.Token);
                await client.RequestAsync<Enter, Welcome>(new Enter($"trouble {Interlocked.Increment(ref _names)}"), cancellationToken: _end.Token);
                await playAsync(client);
                await Task.Delay(100, _end.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (Exception e) when (e is RequestFailedException or TimeoutException or HandshakeException or TransportClosedException)
            {
                await Task.Delay(100, CancellationToken.None); // the server has already disconnected the player, which is part of the measurement
            }
        }
    }

    private async Task FloodAsync(MessageClient client)
    {
        while (client.Server.IsConnected && !_end.IsCancellationRequested)
        {
            for (var i = 0; client.Send(new Move(1, i)) != SendStatus.Full && client.Server.IsConnected && !_end.IsCancellationRequested;)
                i++;
            await client.Server.FlushAsync();
        }
    }

    private async Task TalkGarbageAsync(MessageClient client)
    {
        var random = new Random(1);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (client.Server.IsConnected && await timer.WaitForNextTickAsync(_end.Token))
        {
            var noise = new byte[random.Next(16)]; // a Move has 8 bytes; further bytes count as fields of a later version
            random.NextBytes(noise);
            using var packed = _writer.Pack(s_noise, noise);
            _ = client.Server.Send(packed);
        }
    }

    private Task NeverReadAsync(MessageClient client) => Task.Delay(server.Host.Options.KeepAliveTimeout + TimeSpan.FromSeconds(1), _end.Token);
}
