using System.Net;

namespace Reloaded.Messaging.Hosting;

/// <summary>Stands where other targets listen for datagrams.</summary>
internal abstract class UdpListener : ChannelListener
{
    public abstract DatagramCounts Counts { get; }

    public abstract TokenFailures Failures { get; }

    public static UdpListener Listen(Endpoint endpoint, IPAddress address, HostOptions options) => throw UdpConnector.Missing(endpoint);
}
