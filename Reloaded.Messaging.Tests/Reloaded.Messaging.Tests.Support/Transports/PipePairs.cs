using System;
using System.Collections.Concurrent;
using System.IO;
using System.IO.Pipes;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Opens two anonymous pipes for each connection.</summary>
internal sealed class PipePairs : Transport
{
    private const int BufferSize = 64 * 1024; // that of Linux: the default of Windows is smaller

    private readonly ConcurrentDictionary<string, Listener> _listeners = new(StringComparer.Ordinal);

    public override string Scheme => "pipes";

    public override bool IsLocal => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        var listener = new Listener(address, this);
        return _listeners.TryAdd(address.Name, listener) ? new(listener) : throw new InvalidOperationException($"Another listener uses {address} already.");
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var up = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.None, BufferSize);
        var down = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.None, BufferSize);
        var server = MessageEndpoint.Over(new AnonymousPipeClientStream(PipeDirection.In, up.ClientSafePipeHandle), down);
        var client = MessageEndpoint.Over(new AnonymousPipeClientStream(PipeDirection.In, down.ClientSafePipeHandle), up);
        var channel = await client.ConnectAsync(context, cancellationToken);
        if (_listeners.TryGetValue(address.Name, out var listener) && listener.Connecting.Writer.TryWrite(await server.ConnectAsync(context, cancellationToken)))
            return channel;
        await channel.DisposeAsync();
        throw new TransportClosedException($"No server listens at {address}.");
    }

    private sealed class Listener(TransportAddress address, PipePairs pairs) : TransportListener
    {
        public Channel<TransportChannel> Connecting { get; } = Channel.CreateUnbounded<TransportChannel>();

        public override TransportAddress Address => address;

        public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
        {
            while (await Connecting.Reader.WaitToReadAsync(cancellationToken))
            {
                if (Connecting.Reader.TryRead(out var channel))
                    return channel;
            }

            return null;
        }

        public override async ValueTask DisposeAsync()
        {
            pairs._listeners.TryRemove(new(address.Name, this));
            Connecting.Writer.TryComplete();
            while (Connecting.Reader.TryRead(out var channel))
                await channel.DisposeAsync();
        }
    }
}
