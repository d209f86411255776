using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using LiteNetLib;
using LiteNetLib.Utils;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A NetManager that accepts peers. It runs until its listener and all of its channels are disposed.</summary>
internal sealed class LiteNetListener : TransportListener
{
    /// <summary>The maximum number of accepted peers that wait for the host. Above the maximum of peers, since many clients may connect before the first is counted, and the host sends the reason to those that it refuses.</summary>
    private const int MaxWaiting = 1024;

    private readonly LiteNetTransport _transport;
    private readonly ReceivingManager _manager;
    private readonly LiteNetGreeting _greeting;
    private readonly Channel<LiteNetChannel> _accepted;
    private readonly int _maxPeers;
    private readonly bool _isCompatible;
    private readonly TransportContext _context;
    private readonly ConcurrentDictionary<LiteNetChannel, byte> _channels = new();
    private int _users = 1;
    private int _isDisposed;

    public LiteNetListener(LiteNetTransport transport, TransportAddress address, TransportContext context, bool isCompatible)
    {
        _transport = transport;
        _isCompatible = isCompatible;
        _greeting = new LiteNetGreeting(transport.Options, isCompatible);
        _maxPeers = context.MaxConnections;
        _context = context;
        _accepted = Channel.CreateBounded<LiteNetChannel>(MaxWaiting);
        _manager = transport.CreateManager(new Events(this), context, isCompatible);
        transport.Start(_manager, address, address.FirstEndPoint);
        Address = address.WithPort(_manager.LocalPort);
    }

    public override TransportAddress Address { get; }

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (await _accepted.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
        {
            if (_accepted.Reader.TryRead(out var channel))
                return channel;
        }

        return null;
    }

    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        _accepted.Writer.TryComplete();
        while (_accepted.Reader.TryRead(out var channel))
            await channel.DisposeAsync().ConfigureAwait(false);

        // Active channels keep the port. The listener waits for channels that are ending, so that the port is free afterwards.
        foreach (var (channel, _) in _channels)
        {
            if (channel.IsEnding)
                await channel.DisposeAsync().ConfigureAwait(false);
        }

        await ReleaseAsync().ConfigureAwait(false);
    }

    private Task ReleaseAsync(LiteNetChannel channel)
    {
        _channels.TryRemove(channel, out _);
        return ReleaseAsync();
    }

    private Task ReleaseAsync() => Interlocked.Decrement(ref _users) == 0 ? _transport.StopAsync(_manager) : Task.CompletedTask;

    private sealed class Events(LiteNetListener listener) : LiteNetEvents
    {
        public override void OnConnectionRequest(ConnectionRequest request)
        {
            // One peer more than the maximum of the host is accepted, so that the host can send it the reason of its refusal. Programs on 2.0 get no reason.
            if (Volatile.Read(ref listener._isDisposed) != 0 || listener._manager.ConnectedPeersCount >= listener._maxPeers + (listener._isCompatible ? 0 : 1))
                request.RejectForce();
            else if (listener._isCompatible)
                request.AcceptIfKey(listener._transport.Options.ConnectionKey);
            else if (listener._greeting.Accepts(request.Data.GetRemainingBytesSpan(), out var refusal))
                request.Accept();
            else
                request.RejectForce([refusal]);
        }

        public override void OnPeerConnected(NetPeer peer)
        {
            Interlocked.Increment(ref listener._users);
            LiteNetChannel? channel = null;
            channel = LiteNetChannel.Create(listener._transport, peer, listener._context, listener._isCompatible, () => listener.ReleaseAsync(channel!));
            listener._channels.TryAdd(channel, 0);
            peer.Tag = channel;
            if (!listener._accepted.Writer.TryWrite(channel))
                channel.Abort();
        }
    }
}
