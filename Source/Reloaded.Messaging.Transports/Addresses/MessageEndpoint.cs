using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Net;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>The address at which a host listens or to which it connects, with the transport. The host API is the same for every endpoint.</summary>
/// <remarks>Immutable, and safe to share between threads. Two endpoints are equal if their transports have the same options.</remarks>
/// <example><code>
/// MessageEndpoint local = MessageEndpoint.Local("my-mod"); // a Unix socket or a named pipe of this user
/// MessageEndpoint game = MessageEndpoint.Udp(9050);
/// MessageEndpoint parsed = MessageEndpoint.Parse("tcp://127.0.0.1:5000");
/// </code></example>
public sealed record MessageEndpoint
{
    private readonly TransportAddress _at;

    private MessageEndpoint(Transport transport, string address, int port = 0, [CallerArgumentExpression(nameof(address))] string parameter = "")
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(address, parameter);
        _at = new TransportAddress(transport, address, port);
    }

    /// <summary>The transport, with its options.</summary>
    public Transport Transport => _at.Transport;

    /// <summary>A name, an IP address, a host name or a path. For a process: the name of its server.</summary>
    public string Address => _at.Name;

    /// <summary>The port of TCP, UDP or WebSocket (0–65535). 0 has a free port assigned, and is the value for other transports.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the port is out of range.</exception>
    public int Port { get => _at.Port; init => _at = _at.WithPort(value); }

    /// <summary>The id of the process of the server; 0 if the endpoint is not found by a process id.</summary>
    public int ProcessId => (Transport as ProcessTransport)?.ProcessId ?? 0;

    /// <summary>Creates an endpoint within this process.</summary>
    /// <param name="name">Any name. Case-sensitive.</param>
    public static MessageEndpoint InProcess(string name) => new(InProcessTransport.Instance, name);

    /// <summary>Creates a TCP endpoint on this machine, at 127.0.0.1.</summary>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns.</param>
    public static MessageEndpoint Tcp(int port) => Tcp(IPAddress.Loopback.ToString(), port);

    /// <summary>Creates a TCP endpoint.</summary>
    /// <param name="host">An IP address or a host name. A client tries each address of the host; a server uses the first. To listen at an address other than loopback, a server needs a token, and TLS or <c>MessageHostOptions.Protection</c>.</param>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns.</param>
    /// <param name="tls">The TLS options, or <see langword="null"/> to use no TLS. Both sides need TLS options.</param>
    public static MessageEndpoint Tcp(string host, int port, TlsOptions? tls = null) => new(tls is null ? TcpTransport.Plain : new TcpTransport(tls), host, port);

    /// <summary>Creates a UDP endpoint on this machine, at 127.0.0.1. Events may be lost or reordered, unless <c>host.Deliver</c> of the hosting package chooses another delivery for their type. Requests and replies are sent again until they arrive.</summary>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns.</param>
    /// <param name="maxFragments">The maximum number of datagrams into which an unreliable or sequenced message may be divided (1–255; default: 1, which disables division). If one of the datagrams is lost, the message is lost. Both sides need the same number.</param>
    /// <remarks>The netstandard2.1 build supports no UDP: listening and connecting throw a <see cref="PlatformNotSupportedException"/>.</remarks>
    public static MessageEndpoint Udp(int port, int maxFragments = 1) => Udp(IPAddress.Loopback.ToString(), port, maxFragments);

    /// <summary>Creates a UDP endpoint. Events may be lost or reordered, unless <c>host.Deliver</c> of the hosting package chooses another delivery for their type. Requests and replies are sent again until they arrive.</summary>
    /// <param name="host">An IP address or a host name. To listen at an address other than loopback, a server needs <c>MessageHostOptions.Protection</c>.</param>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns.</param>
    /// <param name="maxFragments">The maximum number of datagrams into which an unreliable or sequenced message may be divided (1–255; default: 1, which disables division). If one of the datagrams is lost, the message is lost. Both sides need the same number.</param>
    /// <remarks>The netstandard2.1 build supports no UDP: listening and connecting throw a <see cref="PlatformNotSupportedException"/>.</remarks>
    public static MessageEndpoint Udp(string host, int port, int maxFragments = 1) => new(UdpTransport.Create(maxFragments), host, port);

    /// <summary>Creates a WebSocket endpoint on this machine, at 127.0.0.1. Browsers can connect to it.</summary>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns.</param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults: a server needs a token, and accepts pages of its own host and port only.</param>
    public static MessageEndpoint WebSocket(int port, WebSocketEndpointOptions? options = null) => WebSocket(IPAddress.Loopback.ToString(), port, options);

    /// <summary>Creates a WebSocket endpoint. Browsers can connect to it.</summary>
    /// <param name="host">An IP address or a host name. A client tries each address of the host; a server uses the first. To listen at an address other than loopback, a server needs a token, and TLS or <c>MessageHostOptions.Protection</c>.</param>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns.</param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults: a server needs a token, and accepts pages of its own host and port only.</param>
    /// <param name="tls">The TLS options, or <see langword="null"/> to use no TLS. Both sides need TLS options. With TLS, the scheme of the endpoint is <c>wss</c>.</param>
    public static MessageEndpoint WebSocket(string host, int port, WebSocketEndpointOptions? options = null, TlsOptions? tls = null) =>
        new(options is null && tls is null ? WebSocketTransport.Default : new WebSocketTransport(options ?? new WebSocketEndpointOptions(), tls), host, port);

    /// <summary>Creates an endpoint at a Unix socket. Only this user can connect.</summary>
    /// <param name="path">The path of the socket file (at most 107 bytes), on a local file system.</param>
    /// <exception cref="PathTooLongException">Thrown when the path is longer than 107 bytes.</exception>
    public static MessageEndpoint Unix(string path) => new(UnixSocketTransport.Instance, UnixSocketTransport.GetFullPath(path));

    /// <summary>Creates an endpoint at a named pipe. Only this user can connect.</summary>
    /// <param name="name">A name of letters, digits, dots, dashes and underscores.</param>
    /// <param name="allowElevationMismatch">Whether the pipe may connect an elevated process and a process that is not elevated, of the same user (default: <see langword="false"/>). Set it on both sides.</param>
    /// <remarks>
    /// By default, Windows refuses a connection between an elevated process and another process, because objects of an elevated process belong to the
    /// administrators. With <paramref name="allowElevationMismatch"/>, all processes of the user can open the pipe of the server, and the client accepts a pipe
    /// of the administrators. Other systems ignore it. The netstandard2.1 build does not support it on Windows and throws a <see cref="PlatformNotSupportedException"/>.
    /// On Windows, this is the pipe \\.\pipe\NAME. On other systems, named pipes of .NET are Unix sockets. There, the pipe is a socket in the folder of
    /// the user, at the path in <see cref="Address"/>. A NamedPipeClientStream can connect to that path too.
    /// </remarks>
    public static MessageEndpoint Pipe(string name, bool allowElevationMismatch = false) => new(
        allowElevationMismatch ? new NamedPipeTransport(true) : NamedPipeTransport.Default,
        OperatingSystem.IsWindows() ? LocalName.Check(name) : UnixSocketTransport.GetFullPath(Path.Combine(UserFolder.Get(), LocalName.Check(name) + ".pipe")));

    /// <summary>Creates an endpoint with a name on this machine: a Unix socket in the folder of the user. Only this user can connect.</summary>
    /// <param name="name">A name of letters, digits, dots, dashes and underscores.</param>
    public static MessageEndpoint Local(string name) => Unix(Path.Combine(UserFolder.Get(), LocalName.Check(name) + ".sock"));

    /// <summary>Creates an endpoint in memory that two processes of this machine share: the fastest transport. Only this user can connect.</summary>
    /// <param name="name">A name of letters, digits, dots, dashes and underscores.</param>
    /// <remarks>
    /// Connections are made over a Unix socket in the folder of the user, or over a named pipe on Windows. Each side of a connection has a thread
    /// that receives, and that runs the handlers. <c>docs/specification/shared-memory.md</c> describes what a crash guarantees.
    /// </remarks>
    public static MessageEndpoint SharedMemory(string name) => new(SharedMemoryTransport.Default, LocalName.Check(name));

    /// <summary>Creates an endpoint for a server of a process, which clients find by the process id and the name of the server. Only this user can connect.</summary>
    /// <param name="processId">The process id. A server passes <c>Environment.ProcessId</c>.</param>
    /// <param name="name">A name of letters, digits, dots, dashes and underscores.</param>
    /// <param name="allowElevationMismatch">Whether the named pipe that such a server uses on Windows may connect an elevated process and another process: see <see cref="Pipe"/>.</param>
    /// <param name="tls">The TLS options, for a server that is published at a TCP endpoint with TLS.</param>
    /// <param name="maxFragments">The same as for <see cref="Udp(int, int)"/>, for a server that is published at a UDP endpoint.</param>
    /// <remarks>
    /// A server that listens at this endpoint uses unique names, so any number of processes may have a server of the same name. On Linux, it uses shared
    /// memory, and a Unix socket for clients that cannot use shared memory; on Windows, a named pipe. If the
    /// options of both sides contain no token, they use a random token that is created for the server. With
    /// <c>MessageHostOptions.PublishedName</c>, clients can also find a server that listens at another endpoint.
    /// </remarks>
    public static MessageEndpoint OfProcess(int processId, string name, bool allowElevationMismatch = false, TlsOptions? tls = null, int maxFragments = 1) =>
        new(new ProcessTransport(Guard.AtLeast(1, processId, nameof(processId)), allowElevationMismatch, tls, maxFragments), LocalName.Check(name));

    /// <summary>Finds all processes of this user that currently have a server of a name. <see cref="PublishedServer.FindAll"/> finds the servers of all names.</summary>
    /// <param name="name">The name under which the servers are published.</param>
    /// <returns>One endpoint for each process, in ascending order of the process ids. Clients can connect to these endpoints.</returns>
    public static IReadOnlyList<MessageEndpoint> FindServers(string name)
    {
        var found = ServerFolder.Find(LocalName.Check(name));
        return found.ConvertAll(static server => OfProcess(server.Entry.Process.Id, server.Name));
    }

    /// <summary>Creates an endpoint with a transport that is not part of this library.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="address">An IP address or a host name. For a local transport: a name or a path.</param>
    /// <param name="port">The port (0–65535). 0 has a free port assigned, which <c>MessageServer.Endpoint</c> returns, and is the value for local transports.</param>
    /// <remarks>To listen at an address other than loopback, a server needs <c>MessageHostOptions.Protection</c>, unless the transport <see cref="Transport.IsEncrypted"/>.</remarks>
    public static MessageEndpoint Over(Transport transport, string address, int port = 0) => new(transport, address, port);

    /// <summary>Creates an endpoint over a stream that the program has opened. The other end of the stream is another host.</summary>
    /// <param name="stream">A stream in both directions. The host disposes it.</param>
    /// <remarks>
    /// One side listens and the other one connects, once. The endpoint counts as local: who may open the stream, and whether it is encrypted, is the program's
    /// matter. <c>MessageHostOptions.Token</c> and <c>MessageHostOptions.Protection</c> work as over other transports.
    /// </remarks>
    public static MessageEndpoint Over(Stream stream)
    {
        ArgumentNullException.ThrowIfNull(stream);
        return Over(stream, stream);
    }

    /// <summary>Creates an endpoint over two streams, such as the standard output and input of a child process.</summary>
    /// <param name="input">The stream to receive from. The host disposes it.</param>
    /// <param name="output">The stream to send to. The host disposes it.</param>
    /// <inheritdoc cref="Over(Stream)"/>
    public static MessageEndpoint Over(Stream input, Stream output)
    {
        ArgumentNullException.ThrowIfNull(input);
        ArgumentNullException.ThrowIfNull(output);
        return new(new StreamTransport(input, output), "opened");
    }

    /// <summary>Listens. Hosts call this method. A program that exchanges bytes instead of messages may call it as well.</summary>
    /// <param name="context">The settings that the host passes to the transport.</param>
    /// <returns>The listener. The caller disposes it.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the address is in use, or when listening at this address with these options is unsafe.</exception>
    public ValueTask<TransportListener> ListenAsync(TransportContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.PublishedName is null || Transport is ProcessTransport
            ? TransportPolicy.ListenAsync(_at, context)
            : PublishedListener.PublishAsync(_at, context);
    }

    /// <summary>Connects, with one attempt. Hosts call this method. A program that exchanges bytes instead of messages may call it as well.</summary>
    /// <param name="context">The settings that the host passes to the transport.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>The channel. The caller disposes it.</returns>
    /// <exception cref="TransportClosedException">Thrown when no server listens at the address, or when the server refuses the connection.</exception>
    /// <exception cref="DiscoveryException">Thrown when the process does not exist, or when it has no server of that name.</exception>
    /// <exception cref="InvalidOperationException">Thrown when connecting to this address with these options is unsafe.</exception>
    public ValueTask<TransportChannel> ConnectAsync(TransportContext context, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(context);
        return TransportPolicy.ConnectAsync(_at, context, cancellationToken);
    }

    /// <summary>Returns whether both endpoints have the same address, and transports with the same options.</summary>
    /// <param name="other">The other endpoint.</param>
    public bool Equals(MessageEndpoint? other) =>
        other is not null && Transport.Equals(other.Transport) && Address == other.Address && Port == other.Port;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Transport, Address, Port);

    /// <summary>Reads an endpoint from text, for example from a configuration file. The text that <see cref="ToString"/> returns is such a text.</summary>
    /// <param name="text">
    /// One of <c>tcp://HOST:PORT</c>, <c>udp://HOST:PORT</c>, <c>ws://HOST:PORT/PATH</c>, <c>wss://HOST:PORT/PATH</c>, <c>unix:PATH</c>, <c>pipe:NAME</c>,
    /// <c>local:NAME</c>, <c>shm:NAME</c>, <c>process:ID/NAME</c> and <c>in-process:NAME</c>. An IPv6 address is in brackets. The two slashes are optional.
    /// </param>
    /// <param name="tls">The TLS options of a <c>tcp</c>, <c>wss</c> or <c>process</c> endpoint, or <see langword="null"/>. For <c>wss</c>, <see langword="null"/> lets the system check the certificate.</param>
    /// <remarks>The text contains the address only. All other options of the transport have their defaults.</remarks>
    /// <exception cref="FormatException">Thrown when the text is not an endpoint. The message names the part that is wrong.</exception>
    public static MessageEndpoint Parse(string text, TlsOptions? tls = null)
    {
        ArgumentNullException.ThrowIfNull(text);
        return EndpointText.Read(text, tls, out var error) ?? throw new FormatException(error);
    }

    /// <summary>Reads an endpoint from text.</summary>
    /// <param name="text">The text: see <see cref="Parse"/>.</param>
    /// <param name="endpoint">The endpoint, or <see langword="null"/> if the text is not an endpoint.</param>
    /// <returns><see langword="true"/> if the text is an endpoint; otherwise, <see langword="false"/>.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out MessageEndpoint? endpoint)
    {
        endpoint = text is null ? null : EndpointText.Read(text, null, out _);
        return endpoint is not null;
    }

    /// <summary>The endpoint as text, which <see cref="Parse"/> reads. The text does not contain the options of the transport.</summary>
    public override string ToString() => _at.ToString();

    /// <summary><see cref="ToString"/> needs no members.</summary>
    [SuppressMessage("Performance", "CA1822", Justification = "The compiler asks for an instance method.")]
    private bool PrintMembers(StringBuilder builder) => false;
}
