using System;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>From an endpoint to its transport.</summary>
internal static class Transports
{
    public static async ValueTask<TransportListener> ListenAsync(MessageEndpoint endpoint, MessageHostOptions options)
    {
        CheckToken(endpoint, options);
        if (endpoint.Kind == EndpointKind.Process)
            return await PublishedListener.ListenOwnAsync(endpoint, options, own => ListenThereAsync(own, options, keepsLock: false)).ConfigureAwait(false);
        if (options.PublishedName is not null)
            return await PublishedListener.PublishAsync(endpoint, options, () => ListenThereAsync(endpoint, options, keepsLock: true)).ConfigureAwait(false);
        return await ListenThereAsync(endpoint, options, keepsLock: true).ConfigureAwait(false);
    }

    /// <summary>Connects to an endpoint, or to the one that a process's server tells.</summary>
    /// <returns>The channel, and the token that the server wants to be shown.</returns>
    public static async ValueTask<(TransportChannel Channel, ReadOnlyMemory<byte> Token)> DialAsync(
        MessageEndpoint endpoint,
        MessageHostOptions options,
        DatagramCounts datagrams,
        CancellationToken cancellationToken)
    {
        var token = options.Token;
        if (endpoint.Kind == EndpointKind.Process)
        {
            var entry = ServerFolder.Resolve(endpoint.Address, endpoint.ProcessId);
            endpoint = entry.Endpoint;
            if (token.IsEmpty)
                token = entry.Token;
        }

        return (await ConnectAsync(endpoint, options, datagrams, cancellationToken).ConfigureAwait(false), token);
    }

    public static async ValueTask<TransportChannel> ConnectAsync(MessageEndpoint endpoint, MessageHostOptions options, DatagramCounts datagrams, CancellationToken cancellationToken)
    {
        CheckToken(endpoint, options);
        CheckTokenSize(endpoint, options);
        CheckEncryption(endpoint, options);
        if (endpoint.Kind == EndpointKind.Udp)
            return await UdpConnector.ConnectAsync(endpoint, options, datagrams, cancellationToken).ConfigureAwait(false); // which protects each datagram by itself
        if (options.Protection is not { } protection)
            return await ConnectPlainAsync(endpoint, options, cancellationToken).ConfigureAwait(false);
        var shared = protection.SharedWith(options);
        return new ProtectedChannel(await ConnectPlainAsync(endpoint, options, cancellationToken).ConfigureAwait(false), protection, shared, isServer: false);
    }

    private static async ValueTask<TransportListener> ListenThereAsync(MessageEndpoint endpoint, MessageHostOptions options, bool keepsLock)
    {
        CheckTokenSize(endpoint, options);
        CheckEncryption(endpoint, options);
        if (endpoint.Kind == EndpointKind.Udp)
            return await ListenUdpAsync(endpoint, options).ConfigureAwait(false);
        if (options.Protection is not { } protection)
            return await ListenPlainAsync(endpoint, options, keepsLock).ConfigureAwait(false);
        var shared = protection.SharedWith(options); // first: it may refuse
        return new ProtectedListener(await ListenPlainAsync(endpoint, options, keepsLock).ConfigureAwait(false), protection, shared);
    }

    private static async ValueTask<TransportListener> ListenPlainAsync(MessageEndpoint endpoint, MessageHostOptions options, bool keepsLock)
    {
        switch (endpoint.Kind)
        {
            case EndpointKind.InProcess:
                return InProcessListener.Listen(endpoint);
            case EndpointKind.NamedPipe when OperatingSystem.IsWindows():
                return PipeListener.Listen(endpoint, options.AllowElevationMismatch);
            case EndpointKind.Unix or EndpointKind.NamedPipe:
                return SocketListener.ListenUnix(endpoint, keepsLock);
            case EndpointKind.Other:
                return await endpoint.Transport!.ListenAsync(endpoint, await ResolveToListenAsync(endpoint, options).ConfigureAwait(false), options).ConfigureAwait(false);
            default:
                return await ListenTcpAsync(endpoint, options).ConfigureAwait(false);
        }
    }

    private static async ValueTask<TransportListener> ListenTcpAsync(MessageEndpoint endpoint, MessageHostOptions options)
    {
        var address = await TcpAddress.ResolveAsync(endpoint, default).ConfigureAwait(false);
        CheckPrefix(endpoint, address, options);
        if (!IPAddress.IsLoopback(address) && (options.Token.IsEmpty || (options.Tls ?? (object?)options.Protection) is null))
        {
            throw new InvalidOperationException(
                $"{endpoint} can be reached from other machines, and " +
                (options.Token.IsEmpty ? "the server would believe anyone. Set MessageHostOptions.Token" : "anyone between could read and change what is said. Set MessageHostOptions.Tls or MessageHostOptions.Protection") +
                " on both sides, or listen at MessageEndpoint.Tcp(port).");
        }

        var encrypt = options.Tls is { } tls ? TlsServer.Prepare(endpoint, tls) : null;
        var listener = SocketListener.ListenTcp(endpoint, address);
        return encrypt is null ? listener : encrypt(listener);
    }

    private static ValueTask<TransportChannel> ConnectPlainAsync(MessageEndpoint endpoint, MessageHostOptions options, CancellationToken cancellationToken) => endpoint.Kind switch
    {
        EndpointKind.InProcess => new ValueTask<TransportChannel>(InProcessListener.Connect(endpoint)),
        EndpointKind.NamedPipe when OperatingSystem.IsWindows() => PipeConnector.ConnectAsync(endpoint, options.AllowElevationMismatch, cancellationToken),
        EndpointKind.Tcp => ConnectTcpAsync(endpoint, options, cancellationToken),
        EndpointKind.Other => ConnectOverAsync(endpoint.Transport!, endpoint, options, cancellationToken),
        _ => SocketConnector.ConnectUnixAsync(endpoint, cancellationToken),
    };

    private static async ValueTask<TransportListener> ListenUdpAsync(MessageEndpoint endpoint, MessageHostOptions options) =>
        UdpListener.Listen(endpoint, await ResolveToListenAsync(endpoint, options).ConfigureAwait(false), options);

    private static async ValueTask<TransportChannel> ConnectOverAsync(Transport transport, MessageEndpoint endpoint, MessageHostOptions options, CancellationToken cancellationToken)
    {
        var address = await TcpAddress.ResolveAsync(endpoint, cancellationToken).ConfigureAwait(false);
        return await transport.ConnectAsync(endpoint, address, options, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Of the transports that have no TLS.</summary>
    private static async ValueTask<IPAddress> ResolveToListenAsync(MessageEndpoint endpoint, MessageHostOptions options)
    {
        var address = await TcpAddress.ResolveAsync(endpoint, default).ConfigureAwait(false);
        return IPAddress.IsLoopback(address) || options.Protection is not null
            ? address
            : throw new InvalidOperationException(
                $"{endpoint} can be reached from other machines, where anyone could read what is said and make up more. Set MessageHostOptions.Protection on both sides, or listen at 127.0.0.1.");
    }

    private static async ValueTask<TransportChannel> ConnectTcpAsync(MessageEndpoint endpoint, MessageHostOptions options, CancellationToken cancellationToken)
    {
        var addresses = await TcpAddress.ResolveAllAsync(endpoint, cancellationToken).ConfigureAwait(false);
        var connected = await ConnectTcpAsync(endpoint, addresses, options, cancellationToken).ConfigureAwait(false);
        return options.Tls is { } tls
            ? await TlsClient.EncryptAsync(connected, endpoint, tls, options.Limits.HandshakeTimeout, cancellationToken).ConfigureAwait(false)
            : connected;
    }

    /// <summary>Connects to the first of a host's addresses that can be connected to.</summary>
    internal static async ValueTask<TransportChannel> ConnectTcpAsync(MessageEndpoint endpoint, IPAddress[] addresses, MessageHostOptions options, CancellationToken cancellationToken)
    {
        CheckPrefix(endpoint, addresses[0], options);
        for (var i = 0; ; i++)
        {
            try
            {
                return await SocketConnector.ConnectTcpAsync(endpoint, addresses[i], cancellationToken).ConfigureAwait(false);
            }
            catch (TransportClosedException) when (i + 1 < addresses.Length && MayBeAt(addresses[i + 1], options))
            {
                // Localhost may be ::1 first, and the server at 127.0.0.1.
            }
        }
    }

    private static void CheckToken(MessageEndpoint endpoint, MessageHostOptions options)
    {
        if (options.IsPlain && !(options.Token.IsEmpty && options.PublishedName is null && endpoint.Kind != EndpointKind.Process))
        {
            throw new InvalidOperationException(
                $"With the prefix {options.LengthPrefix} there is no handshake, and so no proof of a token. Leave MessageHostOptions.Token out and listen at an endpoint that is not published, or use LengthPrefix.UVarint on both sides.");
        }
    }

    /// <summary>Refuses a token that could be guessed by whoever can connect, or listen in the server's place.</summary>
    private static void CheckTokenSize(MessageEndpoint endpoint, MessageHostOptions options)
    {
        if (endpoint.Kind is EndpointKind.Tcp or EndpointKind.Udp or EndpointKind.Other && options.Token.Length is > 0 and < MessageHostOptions.MinTokenSize)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.Token has {options.Token.Length} bytes; at {endpoint}, where other users can connect, it needs at least {MessageHostOptions.MinTokenSize}. Make one by RandomNumberGenerator.GetBytes(32).");
        }
    }

    private static void CheckPrefix(MessageEndpoint endpoint, IPAddress address, MessageHostOptions options)
    {
        if (!MayBeAt(address, options))
        {
            throw new InvalidOperationException(
                $"{endpoint} is another machine's, and with the prefix {options.LengthPrefix} nobody proves who they are. Use this machine's loopback, or LengthPrefix.UVarint on both sides.");
        }
    }

    private static bool MayBeAt(IPAddress address, MessageHostOptions options) => !options.IsPlain || IPAddress.IsLoopback(address);

    private static void CheckEncryption(MessageEndpoint endpoint, MessageHostOptions options)
    {
        if (options.Tls is not null && endpoint.Kind != EndpointKind.Tcp)
            throw new InvalidOperationException($"TLS is for TCP, and {endpoint} is none. Leave MessageHostOptions.Tls out; MessageHostOptions.Protection encrypts any transport.");
        if (options.IsPlain && (endpoint.Kind is EndpointKind.Udp or EndpointKind.Other || options.Protection is not null))
            throw new InvalidOperationException($"The prefix {options.LengthPrefix} is for streams of another program's, and neither for {endpoint} nor for MessageHostOptions.Protection. Use LengthPrefix.UVarint on both sides.");
    }
}
