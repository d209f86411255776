using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects hosts by memory that both have mapped. The connection is made over a socket or pipe, which then tells when the other process ends.</summary>
/// <param name="options">How a connection behaves.</param>
/// <param name="mode">How sleeping threads are woken; a server's choice.</param>
/// <param name="keepsLock">Whether the lock file of the socket stays after a listener is disposed. <see langword="false"/> for names at which no other server will listen.</param>
internal sealed class SharedMemoryTransport(SharedMemoryOptions options, WakeMode mode, bool keepsLock = true) : Transport
{
    private static readonly NamedPipeTransport s_pipes = new(scheme: "shm");

    private readonly UnixSocketTransport _sockets = new("shm", keepsLock);

    public SharedMemoryTransport(SharedMemoryOptions options)
        : this(options, RingSignals.Best)
    {
    }

    public static SharedMemoryTransport Default { get; } = new(new SharedMemoryOptions());

    /// <summary>The default options, at names at which no other server will listen.</summary>
    public static SharedMemoryTransport Unshared { get; } = new(new SharedMemoryOptions(), RingSignals.Best, keepsLock: false);

    /// <summary>Whether programs that leave the choice to the library use shared memory: on Linux with .NET, where it was tested, if the folder of the maps is writable.</summary>
    public static bool IsPreferred { get; } = OperatingSystem.IsLinux() && ThisRuntime.IsDotNet && MapFolder.IsUsable();

    public override string Scheme => "shm";

    public override bool IsLocal => true;

    public override bool IsStream => true;

    /// <summary>Returns the path of the socket over which the connections to a name are made.</summary>
    public static string GetSocketPath(string name) => UnixSocketTransport.GetFullPath(Path.Combine(UserFolder.Get(), name + ".shm"));

    public override async ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        MapFolder.RemoveDead();
        var lifelines = OperatingSystem.IsWindows()
            ? PipeListener.Listen(PipeOf(address), allowElevationMismatch: false)
            : await _sockets.ListenAsync(new TransportAddress(_sockets, GetSocketPath(address.Name)), context).ConfigureAwait(false);
        return new SharedMemoryListener(lifelines, address, options, mode);
    }

    public override async ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        var connecting = OperatingSystem.IsWindows()
            ? PipeConnector.ConnectAsync(PipeOf(address), allowElevationMismatch: false, cancellationToken)
            : SocketConnector.ConnectAsync(address, new UnixDomainSocketEndPoint(GetSocketPath(address.Name)), cancellationToken);
        var lifeline = await connecting.ConfigureAwait(false);
        return await SharedMemoryConnector.ConnectAsync(lifeline, address, options, cancellationToken).ConfigureAwait(false);
    }

    public override bool Equals(object? obj) => obj is SharedMemoryTransport other && other.Options == options && other.Mode == mode;

    public override int GetHashCode() => HashCode.Combine(nameof(SharedMemoryTransport), options);

    private SharedMemoryOptions Options => options;

    private WakeMode Mode => mode;

    private static TransportAddress PipeOf(TransportAddress address) => new(s_pipes, address.Name + ".shm");
}
