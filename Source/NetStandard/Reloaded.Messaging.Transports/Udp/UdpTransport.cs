namespace Reloaded.Messaging;

/// <summary>Replaces the UDP transport of the other targets. Listening and connecting throw.</summary>
internal sealed class UdpTransport : Transport
{
    private static readonly UdpTransport s_instance = new();

    public override string Scheme => "udp";

    public override bool AppliesProtection => true;

    public static UdpTransport Create(int maxFragments) => s_instance;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => throw Missing(address);

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) => throw Missing(address);

    private static PlatformNotSupportedException Missing(TransportAddress address) => new(
        $"{address} requires sockets that receive into a SocketAddress, which the netstandard2.1 build of Reloaded.Messaging.Transports does not have. " +
        "Use MessageEndpoint.Tcp with the same options, or the build for .NET 8 or later.");
}
