using System;
using System.Globalization;
using System.IO;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects to a server of a process with the transport that the server has published. A server listens at a socket or pipe with a unique name.</summary>
/// <param name="processId">The process id.</param>
/// <param name="pipes">The options of named pipes.</param>
/// <param name="tls">The options for a server that is published at a TCP endpoint with TLS.</param>
/// <param name="datagrams">The options for a server that is published at a UDP endpoint.</param>
internal sealed class ProcessTransport(int processId, NamedPipeOptions? pipes, TlsOptions? tls, UdpOptions? datagrams) : Transport
{
    public const string Unix = nameof(Unix);

    private const string NamedPipe = nameof(NamedPipe);
    private const string Tcp = nameof(Tcp);
    private const string Udp = nameof(Udp);
    private const string SharedMemory = nameof(SharedMemory);

    private readonly NamedPipeTransport _pipes = new(pipes);
    private readonly TcpTransport _tcp = new(tls);
    private readonly UdpTransport _udp = new(datagrams ?? UdpOptions.Default);

    public int ProcessId => processId;

    public override string Scheme => "process";

    public override string Describe(string name, int port) => string.Create(CultureInfo.InvariantCulture, $"process://{processId}/{name}");

    public override bool IsLocal => true;

    /// <summary>The published transport applies the protection.</summary>
    public override bool AppliesProtection => true;

    /// <summary>Returns whether a text names a kind of transport.</summary>
    public static bool IsKind(string kind) => kind is Unix or NamedPipe or Tcp or Udp or SharedMemory;

    /// <summary>Returns the name of a transport in an entry, or <see langword="null"/> if a client cannot create the transport from an entry.</summary>
    public static string? GetKind(Transport transport) => transport switch
    {
        UnixSocketTransport => Unix,
        NamedPipeTransport => NamedPipe,
        TcpTransport => Tcp,
        UdpTransport => Udp,
        SharedMemoryTransport => SharedMemory,
        _ => null,
    };

    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        if (processId != Environment.ProcessId)
            throw new InvalidOperationException($"{address} names another process; this process is {Environment.ProcessId}. A server can only listen in its own process. Use MessageEndpoint.OfProcess(Environment.ProcessId, name).");

        var id = $"{Environment.ProcessId}-{Convert.ToHexString(RandomNumberGenerator.GetBytes(8))}";
        var own = OperatingSystem.IsWindows()
            ? new TransportAddress(_pipes, $"{address.Name}-{id}")
            : new TransportAddress(new UnixSocketTransport(keepsLock: false), UnixSocketTransport.GetFullPath(Path.Combine(PublishedListener.GetFolder(address.Name), id + ".sock")));
        return await PublishedListener.ListenOwnAsync(address, own, context).ConfigureAwait(false);
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var entry = ServerFolder.Resolve(address.Name, processId);
        var channel = await TransportPolicy.ConnectAsync(new TransportAddress(Make(entry.Kind), entry.Name, entry.Port), context, LengthPrefix.UVarint, cancellationToken).ConfigureAwait(false);
        channel.Token = entry.Token;
        return channel;
    }

    public override bool Equals(object? obj) =>
        obj is ProcessTransport other && other.ProcessId == processId && other._pipes.Equals(_pipes) && other._tcp.Equals(_tcp) && other._udp.Equals(_udp);

    public override int GetHashCode() => HashCode.Combine(processId, _pipes, _tcp, _udp);

    private Transport Make(string kind) => kind switch
    {
        Unix => UnixSocketTransport.Instance,
        NamedPipe => _pipes,
        Tcp => _tcp,
        SharedMemory => SharedMemoryTransport.Default,
        _ => _udp,
    };
}
