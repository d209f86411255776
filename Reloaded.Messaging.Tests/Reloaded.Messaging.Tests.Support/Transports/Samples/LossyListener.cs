using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Accepts the channels of the clients that connect to one name.</summary>
internal sealed class LossyListener(TransportAddress address, TimeProvider time, ConcurrentDictionary<string, LossyListener> listeners) : TransportListener
{
    private readonly Channel<TransportChannel> _connecting = Channel.CreateUnbounded<TransportChannel>();

    public override TransportAddress Address => address;

    public TimeProvider TimeProvider => time;

    public bool TryAdd(TransportChannel channel) => _connecting.Writer.TryWrite(channel);

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (await _connecting.Reader.WaitToReadAsync(cancellationToken))
        {
            if (_connecting.Reader.TryRead(out var channel))
                return channel;
        }

        return null;
    }

    public override async ValueTask DisposeAsync()
    {
        listeners.TryRemove(new(address.Name, this)); // not the listener that uses the name now
        _connecting.Writer.TryComplete();
        while (_connecting.Reader.TryRead(out var channel))
            await channel.DisposeAsync();
    }
}
