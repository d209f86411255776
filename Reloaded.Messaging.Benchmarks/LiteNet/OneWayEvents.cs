using System.Diagnostics;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Benchmarks.LiteNet;

/// <summary>Events of one size from a client to a server, over LiteNetLib on loopback.</summary>
internal sealed class OneWayEvents : IAsyncDisposable
{
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_contract = new(70, new RawSerializer());
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    private readonly byte[] _payload;
    private MessageServer? _server;
    private MessageClient? _client;
    private long _count;

    private OneWayEvents(int size) => _payload = new byte[size];

    public static async Task<OneWayEvents> OpenAsync(int size, LiteNetDelivery delivery)
    {
        var self = new OneWayEvents(size);
        var options = new LiteNetOptions().Deliver(s_contract, delivery);
        self._server = await MessageHost.ListenAsync(
            new LiteNetTransport(options).At(0),
            host => host.On(s_contract, (in ReadOnlyMemory<byte> _, Peer _) => Interlocked.Increment(ref self._count)));
        self._client = await MessageHost.ConnectAsync(new LiteNetTransport(options).At(self._server.Endpoint.Port));
        return self;
    }

    /// <summary>Sends for a time. Waits when the host is full.</summary>
    /// <returns>The events received per second meanwhile, and the share of the sent events that arrived in the end.</returns>
    public async Task<(double Rate, double Arrived)> RunAsync(TimeSpan time)
    {
        var (before, sent) = (Interlocked.Read(ref _count), 0L);
        var watch = Stopwatch.StartNew();
        for (; watch.Elapsed < time; sent++)
            await _client!.Server.SendAsync(s_contract, _payload);
        var rate = (Interlocked.Read(ref _count) - before) / watch.Elapsed.TotalSeconds;
        await _client!.Server.FlushAsync();
        await SettleAsync();
        return (rate, (Interlocked.Read(ref _count) - before) / (double)sent);
    }

    public async ValueTask DisposeAsync()
    {
        await _client!.DisposeAsync();
        await _server!.DisposeAsync();
    }

    /// <summary>Waits until nothing arrives any more, so that no event of one round is counted in the next.</summary>
    private async Task SettleAsync()
    {
        long last;
        do
        {
            last = Interlocked.Read(ref _count);
            await Task.Delay(s_pause);
        }
        while (Interlocked.Read(ref _count) != last);
    }
}
