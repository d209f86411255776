using System.Net;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>UDP listeners that a test looks into.</summary>
internal static class UdpListeners
{
    /// <summary>Listens at a free port of this machine.</summary>
    public static UdpListener Listen(TransportContext context, Func<EndPoint, string?>? groupOf = null) => UdpListener.Listen(
        new TransportAddress(UdpTransport.Default, IPAddress.Loopback.ToString()) { IPAddresses = [IPAddress.Loopback] }, UdpOptions.Default, context, groupOf);
}
