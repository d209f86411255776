using System;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using LiteNetLib;
using LiteNetLib.Utils;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>A NetManager that accepts peers. It runs until its listener and all of its channels are disposed.</summary>
internal sealed class LiteNetListener : TransportListener
{
    private readonly LiteNetTransport _transport;
    private readonly NetManager _manager;
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
        _accepted = Channel.CreateBounded<LiteNetChannel>(Math.Min(_maxPeers, 1024)); // each waiting peer uses as much memory as a socket
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

/// <summary>Connects once, with a NetManager that ends with the channel.</summary>
internal sealed class LiteNetConnector(LiteNetTransport transport, TransportAddress address, TransportContext context, bool isCompatible) : LiteNetEvents
{
    private readonly TaskCompletionSource<TransportChannel> _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private NetManager? _manager;

    public async ValueTask<TransportChannel> ConnectAsync(CancellationToken cancellationToken)
    {
        var manager = _manager = transport.CreateManager(this, context, isCompatible);
        try
        {
            var remote = address.FirstEndPoint;
            transport.Start(manager, address, new IPEndPoint(remote.AddressFamily == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any, 0));
            manager.Connect(remote, new LiteNetGreeting(transport.Options, isCompatible).Data);
            return await _connected.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            _ = Stop();
            throw;
        }
    }

    public override void OnPeerConnected(NetPeer peer)
    {
        var channel = LiteNetChannel.Create(transport, peer, context, isCompatible, Stop);
        peer.Tag = channel;
        _connected.TrySetResult(channel);
    }

    public override void OnPeerDisconnected(NetPeer peer, DisconnectInfo disconnectInfo)
    {
        _connected.TrySetException(new TransportClosedException(disconnectInfo.Reason == DisconnectReason.ConnectionRejected
            ? DescribeRefusal(disconnectInfo.AdditionalData)
            : $"No server replies at {address} ({Describe(disconnectInfo.Reason, disconnectInfo.SocketErrorCode)}). Check the address, and that the server is running."));
        base.OnPeerDisconnected(peer, disconnectInfo);
    }

    public override void OnConnectionRequest(ConnectionRequest request) => request.RejectForce();

    private string DescribeRefusal(NetPacketReader? data)
    {
        var options = transport.Options;
        return data is not null && data.TryGetByte(out var refusal) && refusal != LiteNetGreeting.WrongKey
            ? $"{address} refused the connection: LiteNetOptions.Channels is {options.Channels} here and {refusal} at the server. Use the same number on the two sides."
            : $"{address} refused the connection. The server is full, or its LiteNetOptions.ConnectionKey is not '{options.ConnectionKey}'. Use the same key on the two sides.";
    }

    /// <summary>Stops the manager in the background. LiteNetLib takes half a second to stop, and the port of a client is not used again.</summary>
    private Task Stop()
    {
        _ = transport.StopAsync(_manager!);
        return Task.CompletedTask;
    }
}

/// <summary>The callbacks of LiteNetLib, which run on its threads or in its poll. They pass everything of a peer to the peer's channel.</summary>
internal abstract class LiteNetEvents : INetEventListener
{
    public abstract void OnPeerConnected(NetPeer peer);

    public abstract void OnConnectionRequest(ConnectionRequest request);

    public virtual void OnPeerDisconnected(NetPeer peer, DisconnectInfo disconnectInfo) =>
        (peer.Tag as LiteNetChannel)?.Fail($"The connection to {peer} was lost ({Describe(disconnectInfo.Reason, disconnectInfo.SocketErrorCode)}).");

    public void OnNetworkReceive(NetPeer peer, NetPacketReader reader, byte channelNumber, DeliveryMethod deliveryMethod)
    {
        if (peer.Tag is LiteNetChannel channel)
            channel.Receive(reader, deliveryMethod);
        else
            reader.Recycle(); // the peer sends before it was accepted
    }

    public void OnMessageDelivered(NetPeer peer, object userData) => ((LiteNetChannel)peer.Tag).NoteDelivered((SentPacket)userData);

    public void OnNetworkError(IPEndPoint endPoint, SocketError socketError)
    {
        // LiteNetLib reports the errors of a peer as its disconnect. The remaining errors do not concern a connected peer.
    }

    public void OnNetworkReceiveUnconnected(IPEndPoint remoteEndPoint, NetPacketReader reader, UnconnectedMessageType messageType) => reader.Recycle();

    public void OnNetworkLatencyUpdate(NetPeer peer, int latency)
    {
        // the host measures the round trip itself, including the handler
    }

    protected static string Describe(DisconnectReason reason, SocketError error) =>
        error == SocketError.Success ? $"{reason}" : $"{reason}, {error}";
}

/// <summary>The data of a connection request: the connection key, as LiteNetLib writes it, and the number of channels. A program built on 2.0 sends the key alone.</summary>
/// <remarks>LiteNetLib drops the packets of a channel that the receiver does not have, so the two sides need the same number.</remarks>
internal sealed class LiteNetGreeting
{
    /// <summary>The refusal of another key. A refusal of another number of channels is the number of the server.</summary>
    public const byte WrongKey = 0;

    private readonly byte[] _data;
    private readonly int _keySize;

    public LiteNetGreeting(LiteNetOptions options, bool isCompatible)
    {
        var writer = NetDataWriter.FromString(options.ConnectionKey);
        _keySize = writer.Length;
        if (!isCompatible)
            writer.Put((byte)options.Channels);
        _data = writer.CopyData();
    }

    public ReadOnlySpan<byte> Data => _data;

    /// <summary>Compares the greeting of a client with this one.</summary>
    /// <param name="theirs">Untrusted bytes.</param>
    /// <param name="refusal">The byte to refuse the client with.</param>
    /// <returns><c>true</c> if the client has the same key and number of channels; otherwise, <c>false</c>.</returns>
    public bool Accepts(ReadOnlySpan<byte> theirs, out byte refusal)
    {
        refusal = theirs.StartsWith(_data.AsSpan(0, _keySize)) ? _data[^1] : WrongKey;
        return theirs.SequenceEqual(_data);
    }
}
