namespace Reloaded.Messaging;

/// <summary>Replaces the UDP listener of the other targets.</summary>
internal abstract class UdpListener : TransportListener
{
    public static UdpListener Listen(TransportAddress address, UdpOptions options, TransportContext context) => throw UdpConnector.Missing(address);
}
