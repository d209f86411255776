using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Listens under a name that is known in this process alone.</summary>
internal sealed class InProcessListener : ChannelListener
{
    private static readonly ConcurrentDictionary<string, InProcessListener> s_listeners = new(StringComparer.Ordinal);

    private readonly Channel<MessageChannel> _connecting = Channel.CreateBounded<MessageChannel>(256);

    private InProcessListener(Endpoint endpoint) => Endpoint = endpoint;

    public override Endpoint Endpoint { get; }

    public static InProcessListener Listen(Endpoint endpoint)
    {
        var listener = new InProcessListener(endpoint);
        if (!s_listeners.TryAdd(endpoint.Address, listener))
            throw new InvalidOperationException($"Something listens at {endpoint} in this process already. Dispose it first, or choose another name.");
        return listener;
    }

    public static MessageChannel Connect(Endpoint endpoint)
    {
        var (server, client) = InProcessChannel.CreatePair(endpoint.ToString());
        if (!s_listeners.TryGetValue(endpoint.Address, out var listener) || !listener._connecting.Writer.TryWrite(server))
            throw new ChannelClosedException($"Nothing listens at {endpoint} in this process, or it has 256 connections waiting.");
        return client;
    }

    public override async ValueTask<MessageChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (await _connecting.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            if (_connecting.Reader.TryRead(out var channel))
                return channel;
        }

        return null;
    }

    public override async ValueTask DisposeAsync()
    {
        s_listeners.TryRemove(new(Endpoint.Address, this));
        _connecting.Writer.TryComplete();
        while (_connecting.Reader.TryRead(out var nobodys))
            await nobodys.DisposeAsync().ConfigureAwait(false);
    }
}
