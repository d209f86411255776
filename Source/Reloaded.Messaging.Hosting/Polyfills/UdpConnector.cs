using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Stands where other targets connect by datagrams.</summary>
internal static class UdpConnector
{
    public static ValueTask<TransportChannel> ConnectAsync(MessageEndpoint endpoint, MessageHostOptions options, DatagramCounts counts, CancellationToken cancellationToken) => throw Missing(endpoint);

    public static PlatformNotSupportedException Missing(MessageEndpoint endpoint) => new(
        $"{endpoint} needs sockets that receive into a SocketAddress, which the netstandard2.1 build of Reloaded.Messaging.Hosting has not. " +
        "Use MessageEndpoint.Tcp with the same options, or the build for .NET 8 or later.");
}
