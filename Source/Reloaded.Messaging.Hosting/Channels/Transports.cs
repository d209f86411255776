using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.Channels.InProcess;
using Reloaded.Messaging.Hosting.Channels.NamedPipes;
using Reloaded.Messaging.Hosting.Channels.Sockets;

namespace Reloaded.Messaging.Hosting.Channels;

/// <summary>From an endpoint to its transport.</summary>
internal static class Transports
{
    public static async ValueTask<ChannelListener> ListenAsync(Endpoint endpoint, HostOptions options)
    {
        CheckToken(options);
        switch (endpoint.Kind)
        {
            case EndpointKind.InProcess:
                return InProcessListener.Listen(endpoint);
            case EndpointKind.NamedPipe when OperatingSystem.IsWindows():
                return PipeListener.Listen(endpoint, options.CrossesElevation);
            case EndpointKind.Unix or EndpointKind.NamedPipe:
                return SocketListener.ListenUnix(endpoint);
            default:
                var address = await TcpAddress.ResolveAsync(endpoint, default).ConfigureAwait(false);
                CheckPrefix(endpoint, address, options);
                if (!IPAddress.IsLoopback(address) && options.Token.IsEmpty)
                {
                    throw new InvalidOperationException(
                        $"{endpoint} can be reached from other machines, and the server would believe anyone. Set HostOptions.Token on both sides, or listen at Endpoint.Tcp(port).");
                }

                return SocketListener.ListenTcp(endpoint, address);
        }
    }

    public static async ValueTask<MessageChannel> ConnectAsync(Endpoint endpoint, HostOptions options, CancellationToken cancellationToken)
    {
        CheckToken(options);
        if (endpoint.Kind == EndpointKind.InProcess)
            return InProcessListener.Connect(endpoint);
        if (endpoint.Kind == EndpointKind.Tcp && options.IsPlain)
        {
            var address = await TcpAddress.ResolveAsync(endpoint, cancellationToken).ConfigureAwait(false);
            CheckPrefix(endpoint, address, options);
            endpoint = Endpoint.Tcp(address.ToString(), endpoint.Port); // not looked up again: the answer could be another
        }

        if (endpoint.Kind == EndpointKind.NamedPipe && OperatingSystem.IsWindows())
            return await PipeConnector.ConnectAsync(endpoint, options.CrossesElevation, cancellationToken).ConfigureAwait(false);
        return await SocketConnector.ConnectAsync(endpoint, cancellationToken).ConfigureAwait(false);
    }

    private static void CheckToken(HostOptions options)
    {
        if (options.IsPlain && !options.Token.IsEmpty)
            throw new InvalidOperationException($"With the prefix {options.LengthPrefix} there is no handshake, and so no proof of the token. Leave HostOptions.Token empty, or use LengthPrefix.UVarint on both sides.");
    }

    private static void CheckPrefix(Endpoint endpoint, IPAddress address, HostOptions options)
    {
        if (options.IsPlain && !IPAddress.IsLoopback(address))
        {
            throw new InvalidOperationException(
                $"{endpoint} is another machine's, and with the prefix {options.LengthPrefix} nobody proves who they are. Use this machine's loopback, or LengthPrefix.UVarint on both sides.");
        }
    }
}
