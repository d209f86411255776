using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Where a host listens or connects to, and by which transport. The host API is the same for every endpoint.</summary>
/// <remarks>Immutable, and safe to share between threads. Two endpoints are equal if their transports have the same options.</remarks>
public sealed record MessageEndpoint
{
    private readonly TransportAddress _at;

    private MessageEndpoint(Transport transport, string address, int port = 0) => _at = new TransportAddress(transport, address, port);

    /// <summary>The transport, with its options.</summary>
    public Transport Transport => _at.Transport;

    /// <summary>A name, an IP address or host name, or a path; for a process the name of its server.</summary>
    public string Address => _at.Name;

    /// <summary>The port of TCP or UDP (0–65535); 0 to have one assigned, and for other transports.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the port is out of range.</exception>
    public int Port { get => _at.Port; init => _at = _at.WithPort(value); }

    /// <summary>The process whose server it is; 0 if the endpoint is not found by a process.</summary>
    public int ProcessId => (Transport as ProcessTransport)?.ProcessId ?? 0;

    /// <summary>The length in front of each message on the stream (default: the library's own). Any other is for programs that frame that way already, on this machine alone.</summary>
    public LengthPrefix LengthPrefix { get; init; }

    /// <summary>Inside of this process.</summary>
    /// <param name="name">Any name; case matters.</param>
    public static MessageEndpoint InProcess(string name) => new(InProcessTransport.Instance, name);

    /// <summary>TCP on this machine, at 127.0.0.1.</summary>
    /// <param name="port">0 to 65535; 0 has one assigned, which <c>MessageServer.Endpoint</c> then says.</param>
    public static MessageEndpoint Tcp(int port) => Tcp(IPAddress.Loopback.ToString(), port);

    /// <summary>TCP.</summary>
    /// <param name="host">An IP address or a host name, of which a client tries each address and a server takes the first. A server needs a token, and TLS or <c>MessageHostOptions.Protection</c>, to listen at an address that is not loopback.</param>
    /// <param name="port">0 to 65535; 0 has one assigned, which <c>MessageServer.Endpoint</c> then says.</param>
    /// <param name="tls">The options of TLS, or <see langword="null"/> for no TLS. Both sides need them.</param>
    public static MessageEndpoint Tcp(string host, int port, TlsOptions? tls = null) => new(tls is null ? TcpTransport.Plain : new TcpTransport(tls), host, port);

    /// <summary>UDP on this machine, at 127.0.0.1. Messages arrive in any order, or not at all: requests have their timeout, and nothing is sent again.</summary>
    /// <param name="port">0 to 65535; 0 has one assigned, which <c>MessageServer.Endpoint</c> then says.</param>
    /// <param name="options">The sizes of datagrams, or <see langword="null"/> for the defaults. Both sides need the same.</param>
    /// <remarks>A host on the netstandard2.1 build can neither listen nor connect: it throws a <see cref="PlatformNotSupportedException"/>.</remarks>
    public static MessageEndpoint Udp(int port, UdpOptions? options = null) => Udp(IPAddress.Loopback.ToString(), port, options);

    /// <summary>UDP. Messages arrive in any order, or not at all: requests have their timeout, and nothing is sent again.</summary>
    /// <param name="host">An IP address or a host name. A server needs <c>MessageHostOptions.Protection</c> to listen at an address that is not loopback.</param>
    /// <param name="port">0 to 65535; 0 has one assigned, which <c>MessageServer.Endpoint</c> then says.</param>
    /// <param name="options">The sizes of datagrams, or <see langword="null"/> for the defaults. Both sides need the same.</param>
    /// <remarks>A host on the netstandard2.1 build can neither listen nor connect: it throws a <see cref="PlatformNotSupportedException"/>.</remarks>
    public static MessageEndpoint Udp(string host, int port, UdpOptions? options = null) => new(options is null ? UdpTransport.Default : new UdpTransport(options), host, port);

    /// <summary>A Unix socket, for this user alone.</summary>
    /// <param name="path">The path of its file: up to 107 bytes, on a file system of this machine.</param>
    /// <exception cref="PathTooLongException">Thrown when the path is longer.</exception>
    public static MessageEndpoint Unix(string path) => new(UnixSocketTransport.Instance, UnixSocketTransport.GetFullPath(path));

    /// <summary>A named pipe, for this user alone.</summary>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    /// <param name="options">How the pipe behaves, or <see langword="null"/> for the defaults.</param>
    /// <remarks>
    /// On Windows the pipe \\.\pipe\NAME. Elsewhere .NET's named pipes are Unix sockets, and so is this one: in the user's own folder, at the
    /// path that <see cref="Address"/> says, under which a NamedPipeClientStream finds it too.
    /// </remarks>
    public static MessageEndpoint Pipe(string name, NamedPipeOptions? options = null) => new(
        options is null ? NamedPipeTransport.Default : new NamedPipeTransport(options),
        OperatingSystem.IsWindows() ? LocalName.Check(name) : UnixSocketTransport.GetFullPath(Path.Combine(UserFolder.Get(), LocalName.Check(name) + ".pipe")));

    /// <summary>A name on this machine, for this user alone: a Unix socket in the user's own folder.</summary>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    public static MessageEndpoint Local(string name) => Unix(Path.Combine(UserFolder.Get(), LocalName.Check(name) + ".sock"));

    /// <summary>A server of a process, wherever it listens: found by the process's id and the server's name, for this user alone.</summary>
    /// <param name="processId">The process. A server gives its own: <c>Environment.ProcessId</c>.</param>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    /// <param name="pipes">The options of the named pipe that such a server has on Windows, or <see langword="null"/> for the defaults.</param>
    /// <param name="tls">For a server that is published at a TCP endpoint with TLS: the options of TLS.</param>
    /// <param name="datagrams">For a server that is published at a UDP endpoint: the sizes of datagrams.</param>
    /// <remarks>
    /// A server that listens there has a socket or pipe of its own, so that any number of processes may have one of the same name. Both sides
    /// use a random token that is made for it, if they were given none. A server that listens elsewhere is found in this way too, by
    /// <c>MessageHostOptions.PublishedName</c>.
    /// </remarks>
    public static MessageEndpoint OfProcess(int processId, string name, NamedPipeOptions? pipes = null, TlsOptions? tls = null, UdpOptions? datagrams = null) => processId > 0
        ? new MessageEndpoint(new ProcessTransport(processId, pipes, tls, datagrams), LocalName.Check(name))
        : throw new ArgumentOutOfRangeException(nameof(processId), processId, $"{processId} is out of range: a process has an id of 1 or more.");

    /// <summary>Finds every process of this user that has a server of a name, now.</summary>
    /// <param name="name">The name that they are published under.</param>
    /// <returns>An endpoint for each process, to connect to, in the order of process ids.</returns>
    public static IReadOnlyList<MessageEndpoint> FindServers(string name)
    {
        var found = ServerFolder.Find(LocalName.Check(name));
        return found.ConvertAll(id => OfProcess(id, name));
    }

    /// <summary>A transport from outside of this library.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="address">An IP address or a host name; for a local transport a name or a path.</param>
    /// <param name="port">0 to 65535; 0 has one assigned, which <c>MessageServer.Endpoint</c> then says, and for local transports.</param>
    /// <remarks>A server needs <c>MessageHostOptions.Protection</c> to listen at an address that is not loopback, unless the transport <see cref="Transport.IsEncrypted"/>.</remarks>
    public static MessageEndpoint Over(Transport transport, string address, int port = 0) => new(transport, address, port);

    /// <summary>Listens. Called by hosts; a program that wants bytes and no messages may call it as well.</summary>
    /// <param name="context">What the transport gets from its host.</param>
    /// <returns>The listener. The caller disposes it.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the address is in use, or when listening there would be unsafe with these options.</exception>
    public async ValueTask<TransportListener> ListenAsync(TransportContext context)
    {
        CheckToken(context);
        return context.PublishedName is null || Transport is ProcessTransport
            ? await TransportPolicy.ListenAsync(_at, context, LengthPrefix).ConfigureAwait(false)
            : await PublishedListener.PublishAsync(_at, context).ConfigureAwait(false);
    }

    /// <summary>Connects, once. Called by hosts; a program that wants bytes and no messages may call it as well.</summary>
    /// <param name="context">What the transport gets from its host.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <returns>The channel. The caller disposes it.</returns>
    /// <exception cref="TransportClosedException">Thrown when no server listens there, or when it refuses.</exception>
    /// <exception cref="DiscoveryException">Thrown when there is no such process, or when it has no server of that name.</exception>
    /// <exception cref="InvalidOperationException">Thrown when connecting there would be unsafe with these options.</exception>
    public async ValueTask<TransportChannel> ConnectAsync(TransportContext context, CancellationToken cancellationToken = default)
    {
        CheckToken(context);
        return await TransportPolicy.ConnectAsync(_at, context, LengthPrefix, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Returns whether both are the same place, by transports with the same options.</summary>
    /// <param name="other">The other endpoint.</param>
    public bool Equals(MessageEndpoint? other) =>
        other is not null && Transport.Equals(other.Transport) && Address == other.Address && Port == other.Port && LengthPrefix == other.LengthPrefix;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Transport, Address, Port, LengthPrefix);

    /// <summary>The endpoint as text.</summary>
    public override string ToString() => _at.ToString();

    private void CheckToken(TransportContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        if (LengthPrefix != LengthPrefix.UVarint && !(context.Token.IsEmpty && context.PublishedName is null && Transport is not ProcessTransport))
        {
            throw new InvalidOperationException(
                $"With the prefix {LengthPrefix} there is no handshake, and so no proof of a token. Leave MessageHostOptions.Token out and listen at an endpoint that is not published, or use LengthPrefix.UVarint on both sides.");
        }
    }
}
