namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>Opens the channels of a <see cref="CompatibleHost"/> with the options of a transport, which also polls them.</summary>
internal sealed class CompatibleTransport(LiteNetTransport transport) : Transport
{
    public override string Scheme => transport.Scheme;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) =>
        new(new LiteNetListener(transport, address, context, isCompatible: true));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) =>
        new LiteNetConnector(transport, address, context, isCompatible: true).ConnectAsync(cancellationToken);
}
