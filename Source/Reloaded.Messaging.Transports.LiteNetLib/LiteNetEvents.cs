using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using LiteNetLib;
using LiteNetLib.Utils;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The callbacks of LiteNetLib, which run on its threads or in its poll. They pass everything of a peer to the peer's channel.</summary>
internal abstract class LiteNetEvents : INetEventListener
{
    public abstract void OnPeerConnected(NetPeer peer);

    public abstract void OnConnectionRequest(ConnectionRequest request);

    public virtual void OnPeerDisconnected(NetPeer peer, DisconnectInfo disconnectInfo) =>
        (peer.Tag as LiteNetChannel)?.Fail($"The connection to {peer} was lost ({Describe(disconnectInfo.Reason, disconnectInfo.SocketErrorCode)}).");

    public void OnNetworkReceive(NetPeer peer, NetPacketReader reader, byte channelNumber, DeliveryMethod deliveryMethod)
    {
        if (peer.Tag is not LiteNetChannel channel)
        {
            reader.Recycle(); // the peer sends before it was accepted
            return;
        }

        var manager = (ReceivingManager)peer.NetManager;
        manager.BeginReceive();
        try
        {
            channel.Receive(reader, deliveryMethod);
        }
        finally
        {
            manager.EndReceive();
        }
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
