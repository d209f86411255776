using System.Collections.Concurrent;
using System.Net;
using LiteNetLib;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A transport over LiteNetLib, which is UDP with optional retransmission of lost packets.</summary>
/// <remarks>
/// <para>
/// All functions of <see cref="MessageHost"/> are available: requests, the handshake with its token, broadcast, limits, metrics. A message is sent
/// immediately if no other message is being sent; otherwise, it is sent together with others. LiteNetLib alone would keep messages until its
/// next update (every 15 ms).
/// </para>
/// <para>
/// <b>Threads.</b> Handlers run on the receiving thread of LiteNetLib. Each listening or connected host has one such thread, and a slow handler delays
/// all peers of the host. Use <see cref="MessageHostOptions.IsPumped"/> or asynchronous handlers for slow work. With
/// <see cref="LiteNetOptions.IsPolled"/>, handlers run in <see cref="Poll"/> instead. Exceptions of handlers never reach LiteNetLib.
/// </para>
/// </remarks>
public sealed class LiteNetTransport : Transport
{
    /// <summary>The smallest payload of a fragment. The smallest packets of LiteNetLib have 1024 bytes.</summary>
    private const int LeastInFragment = 900;

    private readonly ConcurrentDictionary<NetManager, byte> _polled = new();
    private long _dropped;

    /// <summary>Creates a transport.</summary>
    /// <param name="options">The options of LiteNetLib; <c>null</c> uses the defaults.</param>
    public LiteNetTransport(LiteNetOptions? options = null) => Options = options ?? new LiteNetOptions();

    /// <inheritdoc/>
    public override string Scheme => "litenet";

    /// <summary>The options of LiteNetLib.</summary>
    public LiteNetOptions Options { get; }

    /// <summary>The number of received packets that were dropped because more than 4 MiB waited or the peer was disconnected.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <summary>Returns the endpoint at which a host listens, or to which it connects, over this transport.</summary>
    /// <param name="host">An IP address or a host name.</param>
    /// <param name="port">The port (0–65535). 0 lets the system choose a port.</param>
    public MessageEndpoint At(string host, int port) => MessageEndpoint.Over(this, host, port);

    /// <summary>Returns an endpoint on this machine, at 127.0.0.1.</summary>
    /// <param name="port">The port (0–65535). 0 lets the system choose a port.</param>
    public MessageEndpoint At(int port) => At(IPAddress.Loopback.ToString(), port);

    /// <summary>Receives the packets for all hosts of this transport, and runs their handlers in this call. Only with <see cref="LiteNetOptions.IsPolled"/>. One thread at a time.</summary>
    /// <remarks>Connecting also depends on this method to receive packets.</remarks>
    public void Poll()
    {
        foreach (var (manager, _) in _polled)
            manager.PollEvents();
    }

    /// <inheritdoc/>
    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        Options.Check(context);
        return new ValueTask<TransportListener>(new LiteNetListener(this, address, context, isCompatible: false));
    }

    /// <inheritdoc/>
    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        Options.Check(context);
        return new LiteNetConnector(this, address, context, isCompatible: false).ConnectAsync(cancellationToken);
    }

    internal void CountDropped() => Interlocked.Increment(ref _dropped);

    internal ReceivingManager CreateManager(INetEventListener events, TransportContext context, bool isCompatible)
    {
        LiteNetLog.Install();
        var manager = new ReceivingManager(events, isCompatible ? new LiteNetVersion1Layer(context.Datagrams) : new LiteNetLayer(context.Datagrams))
        {
            ChannelsCount = (byte)Options.Channels,
            UnsyncedEvents = !Options.IsPolled,
            UnsyncedDeliveryEvent = true,
            ReconnectDelay = 100, // the default of 500 ms is long if the first packet arrives shortly before the server starts
            MaxConnectAttempts = 50,
            // Otherwise an unauthenticated peer could make LiteNetLib keep 64 MiB for one message.
            MaxFragmentsCount = (ushort)Math.Min(ushort.MaxValue, (context.MaxFrameSize / LeastInFragment) + 1),
            EnableStatistics = true, // the count of sent packets shows when LiteNetLib has emptied its queue
        };
        Options.Configure?.Invoke(manager);
        manager.AutoRecycle = false;
        return manager;
    }

    internal void Start(NetManager manager, TransportAddress address, IPEndPoint own)
    {
        manager.IPv6Enabled = own.AddressFamily == System.Net.Sockets.AddressFamily.InterNetworkV6;
        var isStarted = Detached.Start(() => manager.IPv6Enabled ? manager.Start(IPAddress.Loopback, own.Address, own.Port) : manager.Start(own.Address, IPAddress.IPv6Loopback, own.Port));
        if (!isStarted)
            throw new InvalidOperationException($"{address} is already in use, or is not an address of this machine. Choose another port, or 0.");
        if (Options.IsPolled)
            _polled.TryAdd(manager, 0);
    }

    /// <summary>Stops the manager on another thread, because the call waits up to half a second for the manager's threads, and may be made on one of them.</summary>
    /// <remarks>A manager that a handler blocks is not awaited. It stops, and its port is free, after the handler has returned.</remarks>
    internal async Task StopAsync(ReceivingManager manager)
    {
        _polled.TryRemove(manager, out _);
        var stopped = Detached.Run(manager.Stop);
        await manager.WaitAsync(stopped, Timeout.InfiniteTimeSpan).ConfigureAwait(false);
        if (stopped.IsCompleted)
            await stopped.ConfigureAwait(false); // throws what has failed
    }
}
