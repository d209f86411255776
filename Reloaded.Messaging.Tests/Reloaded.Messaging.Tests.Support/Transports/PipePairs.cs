using System.Collections.Concurrent;
using System.IO;
using System.IO.Pipes;
using Reloaded.Messaging.Tests.Samples;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Opens two anonymous pipes for each connection.</summary>
internal sealed class PipePairs : Transport
{
    private const int BufferSize = 64 * 1024; // that of Linux: the default of Windows is smaller

    private readonly ConcurrentDictionary<string, LossyListener> _listeners = new(StringComparer.Ordinal);

    public override string Scheme => "pipes";

    public override bool IsLocal => true;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        var listener = new LossyListener(address, context.TimeProvider, _listeners);
        return _listeners.TryAdd(address.Name, listener) ? new(listener) : throw new InvalidOperationException($"Another listener uses {address} already.");
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var up = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.None, BufferSize);
        var down = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.None, BufferSize);
        var server = MessageEndpoint.Over(new AnonymousPipeClientStream(PipeDirection.In, up.ClientSafePipeHandle), down);
        var client = MessageEndpoint.Over(new AnonymousPipeClientStream(PipeDirection.In, down.ClientSafePipeHandle), up);
        var channel = await client.ConnectAsync(context, cancellationToken);
        if (_listeners.TryGetValue(address.Name, out var listener) && listener.TryAdd(await server.ConnectAsync(context, cancellationToken)))
            return channel;
        await channel.DisposeAsync();
        throw new TransportClosedException($"No server listens at {address}.");
    }
}
