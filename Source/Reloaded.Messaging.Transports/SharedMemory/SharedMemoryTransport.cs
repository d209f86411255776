using System.IO;
using System.Net.Sockets;

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
        : this(options, WakeSignals.Best)
    {
    }

    public static readonly SharedMemoryTransport Default = new(new SharedMemoryOptions());

    /// <summary>The default options, at names at which no other server will listen.</summary>
    public static readonly SharedMemoryTransport Unshared = new(new SharedMemoryOptions(), WakeSignals.Best, keepsLock: false);

    /// <summary>Whether programs that leave the choice to the library use shared memory: on Linux with .NET, where it was tested, if the folder of the maps is writable.</summary>
    public static readonly bool IsPreferred = OperatingSystem.IsLinux() && ThisRuntime.IsDotNet && MapFolder.IsUsable();

    public override string Scheme => "shm";

    public override bool IsLocal => true;

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

    public override bool Equals(object? obj) => obj is SharedMemoryTransport other && other.Options.RingSize == options.RingSize && other.Options.SpinTime == options.SpinTime && other.Mode == mode;

    public override int GetHashCode() => HashCode.Combine(nameof(SharedMemoryTransport), options.RingSize, options.SpinTime);

    private SharedMemoryOptions Options => options;

    private WakeMode Mode => mode;

    private static TransportAddress PipeOf(TransportAddress address) => new(s_pipes, address.Name + ".shm");
}

/// <summary>Accepts connections over a socket or pipe, and gives each a map.</summary>
internal sealed class SharedMemoryListener(TransportListener lifelines, TransportAddress address, SharedMemoryOptions options, WakeMode mode) : TransportListener
{
    public override TransportAddress Address => address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (await lifelines.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } lifeline)
        {
            try
            {
                return await OfferAsync(lifeline, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                lifeline.Abort();
                await lifeline.DisposeAsync().ConfigureAwait(false);
                if (e is not TransportClosedException) // such a client has disconnected while it waited
                    throw;
            }
        }

        return null;
    }

    public override ValueTask DisposeAsync() => lifelines.DisposeAsync();

    private async ValueTask<TransportChannel> OfferAsync(TransportChannel lifeline, CancellationToken cancellationToken)
    {
        var offer = MapOffer.Create(mode, options.RingSize);
        var file = MapFile.Create(offer.Name, RingLayout.SizeFor(offer.Capacity));
        try
        {
            offer.WriteHeader(file.Map);
            var signals = WakeSignals.Create(mode, isServer: true, offer.Name, new LifelineSender(lifeline)); // before the client may look for them
            file.Map.FreedWithMap = signals;
            await lifeline.SendAsync(offer.ToBytes(), cancellationToken).ConfigureAwait(false);
            var channel = new SharedMemoryChannel(file.Map, offer.Capacity, isServer: true, lifeline, signals, options.SpinTime, address.ToString());
            channel.Watch(file);
            return channel;
        }
        catch
        {
            file.Map.Dispose();
            file.Dispose();
            throw;
        }
    }
}

/// <summary>Connects to a <see cref="SharedMemoryListener"/>.</summary>
internal static class SharedMemoryConnector
{
    /// <summary>Takes the map that the server offers.</summary>
    /// <param name="lifeline">The channel that was connected; the new channel's, or disposed if this throws.</param>
    /// <param name="address">The server, for messages.</param>
    /// <param name="options">How long to spin.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="TransportClosedException">Thrown when the server is not of this version, or its map can't be opened.</exception>
    public static async ValueTask<TransportChannel> ConnectAsync(TransportChannel lifeline, TransportAddress address, SharedMemoryOptions options, CancellationToken cancellationToken)
    {
        try
        {
            var bytes = new byte[MapOffer.Size];
            for (var read = 0; read < bytes.Length;)
            {
                var more = await lifeline.ReceiveAsync(bytes.AsMemory(read), cancellationToken).ConfigureAwait(false);
                if (more == 0)
                    throw new TransportClosedException($"{address} ended the connection before it offered its memory. The server is being stopped, or its system has no room in {MapFolder.Description} or no free file descriptor; MessageHost.GetStatistics counts it in FailedAccepts.");
                read += more;
            }

            return Map(lifeline, MapOffer.TryRead(bytes) ?? throw new TransportClosedException(
                $"{address} offered memory in a way that this process does not know: another version of this library, or another kind of process. Use MessageEndpoint.Local on both sides."), address, options);
        }
        catch
        {
            lifeline.Abort();
            await lifeline.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static SharedMemoryChannel Map(TransportChannel lifeline, MapOffer offer, TransportAddress address, SharedMemoryOptions options)
    {
        SharedMap map;
        try
        {
            map = MapFile.Open(offer.Name, RingLayout.SizeFor(offer.Capacity));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new TransportClosedException($"The memory that {address} offers can't be mapped: {e.Message} Do both processes see the same {MapFolder.Description}?", e);
        }

        MapFile.RemoveName(offer.Name); // whichever side dies now, no file stays
        if (!offer.IsHeaderOf(map))
        {
            map.Dispose();
            throw new TransportClosedException($"The memory that {address} offers is not the memory that it named. Another program changed its file.");
        }

        var sender = new LifelineSender(lifeline);
        var channel = new SharedMemoryChannel(map, offer.Capacity, isServer: false, lifeline, WakeSignals.Create(offer.Mode, isServer: false, offer.Name, sender), options.SpinTime, address.ToString());
        sender.Send(LifelineCode.Mapped);
        channel.Watch(null);
        return channel;
    }
}
