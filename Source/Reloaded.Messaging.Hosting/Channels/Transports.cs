using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.Channels.InProcess;
using Reloaded.Messaging.Hosting.Channels.Sockets;

namespace Reloaded.Messaging.Hosting.Channels;

/// <summary>From an endpoint to its transport.</summary>
internal static class Transports
{
    public static async ValueTask<ChannelListener> ListenAsync(Endpoint endpoint, HostOptions options)
    {
        switch (endpoint.Kind)
        {
            case EndpointKind.InProcess:
                return InProcessListener.Listen(endpoint);
            case EndpointKind.Unix:
                return SocketListener.ListenUnix(endpoint);
            default:
                var address = await TcpAddress.ResolveAsync(endpoint, default).ConfigureAwait(false);
                if (!IPAddress.IsLoopback(address) && options.Token.IsEmpty)
                {
                    throw new InvalidOperationException(
                        $"{endpoint} can be reached from other machines, and the server would believe anyone. Set HostOptions.Token on both sides, or listen at Endpoint.Tcp(port).");
                }

                return SocketListener.ListenTcp(endpoint, address);
        }
    }

    public static ValueTask<MessageChannel> ConnectAsync(Endpoint endpoint, CancellationToken cancellationToken) =>
        endpoint.Kind == EndpointKind.InProcess ? new ValueTask<MessageChannel>(InProcessListener.Connect(endpoint)) : SocketConnector.ConnectAsync(endpoint, cancellationToken);
}
