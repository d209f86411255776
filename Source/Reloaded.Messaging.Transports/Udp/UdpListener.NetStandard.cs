namespace Reloaded.Messaging;

/// <summary>Stands where other targets listen for datagrams.</summary>
internal abstract class UdpListener : TransportListener
{
    public static UdpListener Listen(TransportAddress address, UdpOptions options, TransportContext context) => throw UdpConnector.Missing(address);
}
