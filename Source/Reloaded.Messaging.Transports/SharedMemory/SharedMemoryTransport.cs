using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects hosts by memory that both have mapped. The connection is made over a socket or pipe, which then tells when the other process ends.</summary>
/// <param name="options">How a connection behaves.</param>
/// <param name="mode">How sleeping threads are woken; a server's choice.</param>
internal sealed class SharedMemoryTransport(SharedMemoryOptions options, WakeMode mode) : Transport
{
    private static readonly UnixSocketTransport s_sockets = new("shm");

    public SharedMemoryTransport(SharedMemoryOptions options)
        : this(options, RingSignals.Best)
    {
    }

    public static SharedMemoryTransport Default { get; } = new(new SharedMemoryOptions());

    public override string Scheme => "shm";

    public override bool IsLocal => true;

    public override bool IsStream => true;

    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        MapFolder.RemoveDead();
        var lifelines = OperatingSystem.IsWindows()
            ? PipeListener.Listen(PipeOf(address), allowElevationMismatch: false)
            : await s_sockets.ListenAsync(new TransportAddress(s_sockets, PathOf(address)), context).ConfigureAwait(false);
        return new SharedMemoryListener(lifelines, address, options, mode);
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var connecting = OperatingSystem.IsWindows()
            ? PipeConnector.ConnectAsync(PipeOf(address), allowElevationMismatch: false, cancellationToken)
            : SocketConnector.ConnectAsync(address, new UnixDomainSocketEndPoint(PathOf(address)), cancellationToken);
        var lifeline = await connecting.ConfigureAwait(false);
        return await SharedMemoryConnector.ConnectAsync(lifeline, address, options, cancellationToken).ConfigureAwait(false);
    }

    public override bool Equals(object? obj) => obj is SharedMemoryTransport other && other.Options == options && other.Mode == mode;

    public override int GetHashCode() => HashCode.Combine(nameof(SharedMemoryTransport), options);

    private SharedMemoryOptions Options => options;

    private WakeMode Mode => mode;

    private static string PathOf(TransportAddress address) => UnixSocketTransport.GetFullPath(Path.Combine(UserFolder.Get(), address.Name + ".shm"));

    private static TransportAddress PipeOf(TransportAddress address) => new(NamedPipeTransport.Default, address.Name + ".shm");
}
