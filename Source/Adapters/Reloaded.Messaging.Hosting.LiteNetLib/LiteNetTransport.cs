using System;
using System.Collections.Concurrent;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>Hosts over LiteNetLib: UDP that sends again what was lost, where that is wanted.</summary>
/// <remarks>
/// <para>
/// Everything of <see cref="MessageHost"/> is there: requests, the handshake with its token, broadcast, limits, metrics. Messages are
/// flushed at once when nothing else is on its way, and together with others when it is: LiteNetLib alone would keep them until its next
/// update, 15 ms later.
/// </para>
/// <para>
/// <b>Threads.</b> Handlers run on LiteNetLib's own receiving thread, of which each listening or connected host has one: what takes long there
/// keeps up everyone it receives from. Use <see cref="MessageHostOptions.IsPumped"/>, or asynchronous handlers, for such work. With
/// <see cref="LiteNetOptions.IsPolled"/> they run where <see cref="Poll"/> is called instead. What a handler throws never reaches LiteNetLib.
/// </para>
/// </remarks>
public sealed class LiteNetTransport : Transport
{
    /// <summary>A fragment carries at least this much: LiteNetLib's smallest packets have 1024 bytes.</summary>
    private const int LeastInFragment = 900;

    private readonly ConcurrentDictionary<NetManager, byte> _polled = new();
    private long _dropped;

    /// <summary>Makes a transport.</summary>
    /// <param name="options">How LiteNetLib is used; the defaults if null.</param>
    public LiteNetTransport(LiteNetOptions? options = null) => Options = options ?? new LiteNetOptions();

    /// <inheritdoc/>
    public override string Scheme => "litenet";

    /// <summary>How LiteNetLib is used.</summary>
    public LiteNetOptions Options { get; }

    /// <summary>The messages that a program built on 2.0 cannot be sent, and the packets that were received and dropped: more waited than <see cref="LiteNetOptions.MaxReceivedBytes"/>, or the peer was gone.</summary>
    public long Dropped => Interlocked.Read(ref _dropped);

    /// <summary>Where a host listens, or connects to, over this transport.</summary>
    /// <param name="host">An IP address or a host name.</param>
    /// <param name="port">0 to 65535; 0 has one assigned.</param>
    public MessageEndpoint At(string host, int port) => MessageEndpoint.Over(this, host, port);

    /// <summary>This machine, at 127.0.0.1.</summary>
    /// <param name="port">0 to 65535; 0 has one assigned.</param>
    public MessageEndpoint At(int port) => At(IPAddress.Loopback.ToString(), port);

    /// <summary>Receives what came for all hosts of this transport, and runs their handlers here: with <see cref="LiteNetOptions.IsPolled"/>. One thread at a time.</summary>
    /// <remarks>Connecting, too, waits for what this receives.</remarks>
    public void Poll()
    {
        foreach (var (manager, _) in _polled)
            manager.PollEvents();
    }

    /// <inheritdoc/>
    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context)
    {
        Options.Check(context);
        return new ValueTask<TransportListener>(new LiteNetListener(this, address, context));
    }

    /// <inheritdoc/>
    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken)
    {
        Options.Check(context);
        return new LiteNetConnector(this, address, context).ConnectAsync(cancellationToken);
    }

    internal void CountDropped() => Interlocked.Increment(ref _dropped);

    internal NetManager CreateManager(INetEventListener events, TransportContext context)
    {
        var manager = new NetManager(events, Options.CompatibilityMode ? new LiteNetVersion1Layer() : null)
        {
            ChannelsCount = (byte)Options.Channels,
            UnsyncedEvents = !Options.IsPolled,
            UnsyncedDeliveryEvent = true,
            ReconnectDelay = 100, // LiteNetLib's own 500 ms are long for a first packet that comes a moment before the server
            MaxConnectAttempts = 50,
            // Or a stranger could have 64 MiB kept for one message.
            MaxFragmentsCount = (ushort)Math.Min(ushort.MaxValue, (context.MaxFrameSize / LeastInFragment) + 1),
            EnableStatistics = true, // what a peer was sent says when LiteNetLib has emptied its queue
        };
        Options.Configure?.Invoke(manager);
        manager.AutoRecycle = false;
        return manager;
    }

    internal void Start(NetManager manager, TransportAddress address, IPEndPoint own)
    {
        manager.IPv6Enabled = own.AddressFamily == System.Net.Sockets.AddressFamily.InterNetworkV6;
        var isStarted = manager.IPv6Enabled ? manager.Start(IPAddress.Loopback, own.Address, own.Port) : manager.Start(own.Address, IPAddress.IPv6Loopback, own.Port);
        if (!isStarted)
            throw new InvalidOperationException($"{address} is taken, or is none of this machine's addresses. Choose another port, or 0.");
        if (Options.IsPolled)
            _polled.TryAdd(manager, 0);
    }

    /// <summary>Stops it from another thread: it waits for its own to end, up to half a second, and may be let go of in one of them.</summary>
    internal Task StopAsync(NetManager manager)
    {
        _polled.TryRemove(manager, out _);
        return Task.Run(manager.Stop);
    }
}
