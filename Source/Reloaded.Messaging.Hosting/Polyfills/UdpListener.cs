using System.Net;

namespace Reloaded.Messaging.Hosting;

/// <summary>Stands where other targets listen for datagrams.</summary>
internal abstract class UdpListener : TransportListener
{
    public abstract DatagramCounts Counts { get; }

    public abstract TokenFailures Failures { get; }

    public static UdpListener Listen(MessageEndpoint endpoint, IPAddress address, MessageHostOptions options) => throw UdpConnector.Missing(endpoint);
}
