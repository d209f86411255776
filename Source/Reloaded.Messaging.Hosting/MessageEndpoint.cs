using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Text;

namespace Reloaded.Messaging.Hosting;

/// <summary>Where a host listens or connects to: the one thing in which two transports differ for who uses them.</summary>
/// <remarks>Immutable, and safe to share between threads.</remarks>
public sealed record MessageEndpoint
{
    /// <summary>What Linux has room for, less the zero behind it.</summary>
    private const int LongestSocketPath = 107;

    private MessageEndpoint(EndpointKind kind, string address, int port = 0)
    {
        Kind = kind;
        Address = address;
        Port = port;
    }

    /// <summary>The transport.</summary>
    public EndpointKind Kind { get; }

    /// <summary>A name, an IP address or host name, or a path; for a process the name of its server.</summary>
    public string Address { get; }

    /// <summary>The port of TCP or UDP; 0 to have one assigned, and for other transports.</summary>
    public int Port { get; }

    /// <summary>The process whose server it is; 0 where the endpoint says itself where that listens.</summary>
    public int ProcessId { get; private init; }

    /// <summary>The transport of another package; null for those of this library.</summary>
    public Transport? Transport { get; private init; }

    /// <summary>Inside of this process.</summary>
    /// <param name="name">Any name; case matters.</param>
    public static MessageEndpoint InProcess(string name) => new(EndpointKind.InProcess, Checked(name, nameof(name)));

    /// <summary>TCP on this machine, at 127.0.0.1.</summary>
    /// <param name="port">0 to 65535; 0 has one assigned, which <see cref="MessageServer.Endpoint"/> then says.</param>
    public static MessageEndpoint Tcp(int port) => Tcp(IPAddress.Loopback.ToString(), port);

    /// <summary>TCP.</summary>
    /// <param name="host">An IP address or a host name, of which a client tries each address and a server takes the first. A server needs a token and TLS to listen at one that is not loopback.</param>
    /// <param name="port">0 to 65535; 0 has one assigned, which <see cref="MessageServer.Endpoint"/> then says.</param>
    public static MessageEndpoint Tcp(string host, int port) => new(EndpointKind.Tcp, Checked(host, nameof(host)), Checked(port));

    /// <summary>UDP on this machine, at 127.0.0.1. Messages arrive in any order, or not at all: requests have their timeout, and nothing is sent again.</summary>
    /// <param name="port">0 to 65535; 0 has one assigned, which <see cref="MessageServer.Endpoint"/> then says.</param>
    /// <remarks>A host on the netstandard2.1 build listens and connects by none: a <see cref="PlatformNotSupportedException"/> says so.</remarks>
    public static MessageEndpoint Udp(int port) => Udp(IPAddress.Loopback.ToString(), port);

    /// <summary>UDP. Messages arrive in any order, or not at all: requests have their timeout, and nothing is sent again.</summary>
    /// <param name="host">An IP address or a host name. A server needs <see cref="MessageHostOptions.Protection"/> to listen at one that is not loopback.</param>
    /// <param name="port">0 to 65535; 0 has one assigned, which <see cref="MessageServer.Endpoint"/> then says.</param>
    /// <remarks>A host on the netstandard2.1 build listens and connects by none: a <see cref="PlatformNotSupportedException"/> says so.</remarks>
    public static MessageEndpoint Udp(string host, int port) => new(EndpointKind.Udp, Checked(host, nameof(host)), Checked(port));

    /// <summary>A transport of another package.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="host">An IP address or a host name. A server needs <see cref="MessageHostOptions.Protection"/> to listen at one that is not loopback.</param>
    /// <param name="port">0 to 65535; 0 has one assigned, which <see cref="MessageServer.Endpoint"/> then says.</param>
    public static MessageEndpoint Over(Transport transport, string host, int port)
    {
        ArgumentNullException.ThrowIfNull(transport);
        return new MessageEndpoint(EndpointKind.Other, Checked(host, nameof(host)), Checked(port)) { Transport = transport };
    }

    /// <summary>A Unix socket, for this user alone.</summary>
    /// <param name="path">Where its file is: up to 107 bytes, on a file system of this machine.</param>
    /// <exception cref="PathTooLongException">It is longer.</exception>
    public static MessageEndpoint Unix(string path) => new(EndpointKind.Unix, SocketPath(Checked(path, nameof(path))));

    /// <summary>A named pipe, for this user alone.</summary>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    /// <remarks>
    /// On Windows the pipe \\.\pipe\NAME. Elsewhere .NET's named pipes are Unix sockets, and so is this one: in the user's own folder, at the
    /// path that <see cref="Address"/> says, under which a NamedPipeClientStream finds it too.
    /// </remarks>
    public static MessageEndpoint Pipe(string name) =>
        new(EndpointKind.NamedPipe, OperatingSystem.IsWindows() ? CheckedName(name) : SocketPath(Path.Combine(UserFolder.Get(), CheckedName(name) + ".pipe")));

    /// <summary>A name on this machine, for this user alone: a Unix socket in the user's own folder.</summary>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    public static MessageEndpoint Local(string name) => Unix(Path.Combine(UserFolder.Get(), CheckedName(name) + ".sock"));

    /// <summary>A server of a process, wherever it listens: found by the process's id and the server's name, for this user alone.</summary>
    /// <param name="processId">The process. A server gives its own: <c>Environment.ProcessId</c>.</param>
    /// <param name="name">Letters, digits, dots, dashes and underscores.</param>
    /// <remarks>
    /// A server that listens there has a socket or pipe of its own, so that any number of processes may have one of the same name. Both sides
    /// use a random token that is made for it, if they were given none. A server that listens elsewhere is found in this way too, by
    /// <see cref="MessageHostOptions.PublishedName"/>.
    /// </remarks>
    public static MessageEndpoint OfProcess(int processId, string name) => processId > 0
        ? new MessageEndpoint(EndpointKind.Process, CheckedName(name)) { ProcessId = processId }
        : throw new ArgumentOutOfRangeException(nameof(processId), processId, $"{processId} is out of range: a process has an id of 1 or more.");

    /// <summary>Finds every process of this user that has a server of a name, now.</summary>
    /// <param name="name">The name that they are published under.</param>
    /// <returns>One for each, to connect to; the lowest process id first.</returns>
    public static IReadOnlyList<MessageEndpoint> FindServers(string name)
    {
        var found = ServerFolder.Find(CheckedName(name));
        return found.ConvertAll(id => OfProcess(id, name));
    }

    /// <summary>The endpoint, for people.</summary>
    public override string ToString() => Kind switch
    {
        EndpointKind.Tcp => Format("tcp"),
        EndpointKind.Udp => Format("udp"),
        EndpointKind.Other => Format(Transport!.Scheme),
        EndpointKind.Unix => $"unix://{Address}",
        EndpointKind.NamedPipe => $"pipe://{Address}",
        EndpointKind.Process => $"process://{ProcessId}/{Address}",
        _ => $"in-process://{Address}",
    };

    /// <summary>One that was read from where this library wrote it.</summary>
    internal static MessageEndpoint Restore(EndpointKind kind, string address, int port) => new(kind, address, port);

    internal MessageEndpoint WithPort(int port) => new(Kind, Address, port);

    private static string SocketPath(string path)
    {
        var full = Path.GetFullPath(path);
        var size = Encoding.UTF8.GetByteCount(full);
        if (size > LongestSocketPath)
        {
            throw new PathTooLongException(
                $"'{full}' is {size} bytes long, and the path of a Unix socket {LongestSocketPath} at most. Choose a shorter folder or name.");
        }

        return full;
    }

    private static string CheckedName(string name)
    {
        foreach (var letter in Checked(name, nameof(name)))
        {
            if (!char.IsAsciiLetterOrDigit(letter) && letter is not ('.' or '-' or '_'))
                throw new ArgumentException($"'{name}' is not a name: '{letter}' is neither a letter, a digit, a dot, a dash nor an underscore.", nameof(name));
        }

        return name;
    }

    private string Format(string scheme) => Address.Contains(':', StringComparison.Ordinal) ? $"{scheme}://[{Address}]:{Port}" : $"{scheme}://{Address}:{Port}";

    private static int Checked(int port) =>
        port is >= 0 and <= 65535 ? port : throw new ArgumentOutOfRangeException(nameof(port), port, $"{port} is out of range: a port is 0 to 65535.");

    private static string Checked(string value, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(value, parameter);
        return value;
    }
}
