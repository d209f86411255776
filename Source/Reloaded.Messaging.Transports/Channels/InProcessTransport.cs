using System.Collections.Concurrent;
using System.Threading.Channels;

namespace Reloaded.Messaging;

/// <summary>Connects hosts within one process.</summary>
internal sealed class InProcessTransport : Transport
{
    public static readonly InProcessTransport Instance = new();

    public override string Scheme => "in-process";

    public override bool IsLocal => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => new(InProcessListener.Listen(address));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        new(InProcessListener.Connect(address));
}

/// <summary>Listens under a name that is visible only within this process.</summary>
internal sealed class InProcessListener : TransportListener
{
    private static readonly ConcurrentDictionary<string, InProcessListener> s_listeners = new(StringComparer.Ordinal);

    private readonly Channel<TransportChannel> _connecting = Channel.CreateBounded<TransportChannel>(256);

    private InProcessListener(TransportAddress address) => Address = address;

    public override TransportAddress Address { get; }

    public static InProcessListener Listen(TransportAddress address)
    {
        var listener = new InProcessListener(address);
        if (!s_listeners.TryAdd(address.Name, listener))
            throw new InvalidOperationException($"A listener already listens at {address} in this process. Dispose it first, or choose another name.");
        return listener;
    }

    public static TransportChannel Connect(TransportAddress address)
    {
        var (server, client) = InProcessChannel.CreatePair(address.ToString());
        if (!s_listeners.TryGetValue(address.Name, out var listener) || !listener._connecting.Writer.TryWrite(server))
            throw new TransportClosedException($"No listener in this process accepts connections at {address}: none exists, or 256 connections already wait for it. Start the server first, or connect again later.");
        return client;
    }

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
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
        s_listeners.TryRemove(new(Address.Name, this));
        _connecting.Writer.TryComplete();
        while (_connecting.Reader.TryRead(out var nobodys))
            await nobodys.DisposeAsync().ConfigureAwait(false);
    }
}
