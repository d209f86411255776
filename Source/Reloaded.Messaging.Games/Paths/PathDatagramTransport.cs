using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Reflection;

namespace Reloaded.Messaging.Games;

/// <summary>A transport over UDP whose datagrams take a path. Each connection of a client, and each listener, has a relay.</summary>
/// <param name="inner">The transport that sends the datagrams.</param>
/// <param name="path">The path.</param>
internal sealed class PathDatagramTransport(Transport inner, NetworkPath path) : PathTransport(inner, path)
{
    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        var at = address.FirstEndPoint;
        if (!IPAddress.IsLoopback(at.Address) && !Path.AllowRemoteClients && !IsDebugBuild(Assembly.GetEntryAssembly()))
        {
            throw new InvalidOperationException(
                $"{address} can be reached from other machines, and its NetworkPath hides the addresses of players from bans and limits. Listen at 127.0.0.1, leave WithPath out, or set NetworkPath.AllowRemoteClients.");
        }

        var listener = await Inner.ListenAsync(AtLoopback(at.AddressFamily, 0), context).ConfigureAwait(false);
        try
        {
            var relay = PathRelay.Start(at, new IPEndPoint(LoopbackOf(at.AddressFamily), listener.Address.Port), Path, context.TimeProvider);
            return new PathListener(listener, address.WithPort(relay.Port), relay);
        }
        catch (SocketException e)
        {
            await listener.DisposeAsync().ConfigureAwait(false);
            throw new InvalidOperationException($"Listening at {address} failed: {e.Message} Choose another port, or 0.", e);
        }
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var server = address.FirstEndPoint;
        var relay = PathRelay.Start(new IPEndPoint(LoopbackOf(server.AddressFamily), 0), server, Path, context.TimeProvider);
        try
        {
            var channel = await Inner.ConnectAsync(AtLoopback(server.AddressFamily, relay.Port), context, cancellationToken).ConfigureAwait(false);
            return new PathChannel((DatagramChannel)channel, address.ToString(), relay);
        }
        catch (Exception e)
        {
            await relay.ReleaseAsync().ConfigureAwait(false);
            if (e is TransportClosedException closed)
                throw new TransportClosedException(closed.Reason, $"Connecting to {address} over a NetworkPath failed. {closed.Message}", closed);
            throw;
        }
    }

    /// <summary>Returns whether an assembly was built without optimization, as by the configuration Debug.</summary>
    internal static bool IsDebugBuild(Assembly? program) => program?.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true };

    private static IPAddress LoopbackOf(AddressFamily family) => family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Loopback : IPAddress.Loopback;

    private TransportAddress AtLoopback(AddressFamily family, int port) => new(Inner, LoopbackOf(family).ToString(), port) { IPAddresses = [LoopbackOf(family)] };
}
