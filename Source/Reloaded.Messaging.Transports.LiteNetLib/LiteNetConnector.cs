using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using LiteNetLib;
using LiteNetLib.Utils;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>Connects once, with a NetManager that ends with the channel.</summary>
internal sealed class LiteNetConnector(LiteNetTransport transport, TransportAddress address, TransportContext context, bool isCompatible) : LiteNetEvents
{
    private readonly TaskCompletionSource<TransportChannel> _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ReceivingManager? _manager;

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
