using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Replaces the UDP connector of the other targets. Connecting throws.</summary>
internal static class UdpConnector
{
    public static ValueTask<TransportChannel> ConnectAsync(TransportAddress address, UdpOptions options, TransportContext context, CancellationToken cancellationToken) => throw Missing(address);

    public static PlatformNotSupportedException Missing(TransportAddress address) => new(
        $"{address} requires sockets that receive into a SocketAddress, which the netstandard2.1 build of Reloaded.Messaging.Transports does not have. " +
        "Use MessageEndpoint.Tcp with the same options, or the build for .NET 8 or later.");
}
