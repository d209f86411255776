using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Connects hosts of one process over links that lose or delay frames. The same seed loses the same frames.</summary>
/// <param name="seed">The seed. Each direction of each connection has its own random numbers.</param>
public sealed class LossyTransport(int seed = 0) : Transport
{
    private readonly ConcurrentDictionary<string, LossyListener> _listeners = new(StringComparer.Ordinal);
    private int _links;
    private int _lostFrames;
    private int _delayedFrames;

    public override string Scheme => "lossy";

    public override bool IsLocal => true;

    /// <summary>The fraction of unreliable frames to lose (0–1; default: 0). It may change at any time.</summary>
    public double Loss { get; set; }

    /// <summary>The time by which unreliable frames arrive later (default: 0 s). The clock is the sending host's.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>The number of frames that were lost.</summary>
    public int LostFrames => Volatile.Read(ref _lostFrames);

    /// <summary>The number of frames that were delayed.</summary>
    public int DelayedFrames => Volatile.Read(ref _delayedFrames);

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        var listener = new LossyListener(address, context.TimeProvider, _listeners);
        if (!_listeners.TryAdd(address.Name, listener))
            throw new InvalidOperationException($"Another listener uses {address} already. Dispose it first, or choose another name.");
        return new(listener);
    }

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        if (!_listeners.TryGetValue(address.Name, out var listener))
            throw new TransportClosedException($"No server listens at {address}.");
        var (up, down) = (NewLink(context.TimeProvider), NewLink(listener.TimeProvider));
        if (!listener.TryAdd(new LossyChannel(address.ToString(), incoming: up, outgoing: down)))
            throw new TransportClosedException($"No server listens at {address} any more.");
        return new(new LossyChannel(address.ToString(), incoming: down, outgoing: up));
    }

    internal void CountLost() => Interlocked.Increment(ref _lostFrames);

    internal void CountDelayed() => Interlocked.Increment(ref _delayedFrames);

    private LossyLink NewLink(TimeProvider time) => new(this, new Random(seed + Interlocked.Increment(ref _links)), time);
}
