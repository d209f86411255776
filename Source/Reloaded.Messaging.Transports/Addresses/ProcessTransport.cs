using System.Globalization;
using System.IO;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Connects to a server of a process with a transport that the server has published. A server listens at unique names: over shared memory and at a socket, or at a pipe on Windows.</summary>
/// <param name="processId">The process id.</param>
/// <param name="allowElevationMismatch">Whether named pipes may connect an elevated process and another process.</param>
/// <param name="tls">The options for a server that is published at a TCP endpoint with TLS.</param>
/// <param name="maxFragments">The maximum number of fragments, for a server that is published at a UDP endpoint.</param>
internal sealed class ProcessTransport(int processId, bool allowElevationMismatch, TlsOptions? tls, int maxFragments) : Transport
{
    public const string SharedMemory = nameof(SharedMemory);

    private const string Unix = nameof(Unix);
    private const string NamedPipe = nameof(NamedPipe);
    private const string Tcp = nameof(Tcp);
    private const string Udp = nameof(Udp);

    private readonly NamedPipeTransport _pipes = new(allowElevationMismatch);
    private readonly TcpTransport _tcp = new(tls);
    private readonly UdpTransport _udp = UdpTransport.Create(maxFragments);

    public int ProcessId => processId;

    public override string Scheme => "process";

    public override string Describe(string name, int port) => FormattableString.Invariant($"process://{processId}/{name}");

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

    /// <summary>Returns the scheme of the transport of a place.</summary>
    public string GetScheme(ServerPlace place) => Make(place.Kind).Scheme;

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => processId == Environment.ProcessId
        ? PublishedListener.ListenOwnAsync(address, MakeOwn(address.Name), context)
        : throw new InvalidOperationException($"{address} names another process; this process is {Environment.ProcessId}. A server can only listen in its own process. Use MessageEndpoint.OfProcess(Environment.ProcessId, name).");

    /// <summary>Connects to the first place whose transport this process can use. Shared memory may fail where sockets work, for example without room for the memory.</summary>
    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var entry = ServerFolder.Resolve(address.Name, processId);
        for (var i = 0; ; i++)
        {
            var place = entry.Places[i];
            var isLast = i + 1 == entry.Places.Count;
            if (!isLast && place.Kind == SharedMemory && !SharedMemoryTransport.IsPreferred)
                continue;
            try
            {
                var channel = await TransportPolicy.ConnectAsync(new TransportAddress(Make(place.Kind), place.Name, place.Port), context, cancellationToken).ConfigureAwait(false);
                channel.Token = entry.Token;
                return channel;
            }
            catch (TransportClosedException) when (!isLast)
            {
                // If the last place fails too, its exception describes the failure.
            }
        }
    }

    public override bool Equals(object? obj) =>
        obj is ProcessTransport other && other.ProcessId == processId && other._pipes.Equals(_pipes) && other._tcp.Equals(_tcp) && other._udp.Equals(_udp);

    public override int GetHashCode() => HashCode.Combine(processId, _pipes, _tcp, _udp);

    /// <summary>Returns the addresses of a new server: unique names, so that any number of processes can have a server of one name.</summary>
    private TransportAddress[] MakeOwn(string name)
    {
        var id = $"{Environment.ProcessId}-{Convert.ToHexString(RandomNumberGenerator.GetBytes(8))}";
        if (OperatingSystem.IsWindows())
            return [new TransportAddress(_pipes, $"{name}-{id}")];
        var socket = new TransportAddress(new UnixSocketTransport(keepsLock: false), UnixSocketTransport.GetFullPath(Path.Combine(PublishedListener.GetFolder(name), id + ".sock")));
        return SharedMemoryTransport.IsPreferred ? [new TransportAddress(SharedMemoryTransport.Unshared, id), socket] : [socket];
    }

    private Transport Make(string kind) => kind switch
    {
        Unix => UnixSocketTransport.Instance,
        NamedPipe => _pipes,
        Tcp => _tcp,
        SharedMemory => SharedMemoryTransport.Default,
        _ => _udp,
    };
}
