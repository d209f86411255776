using System.Net;
using System.Net.Sockets;
using LiteNetLib;

namespace Reloaded.Messaging.Hosting.LiteNetLib;

/// <summary>What LiteNetLib calls, on its threads or in its poll: hands everything of a peer to the peer's channel.</summary>
internal abstract class LiteNetEvents : INetEventListener
{
    public abstract void OnPeerConnected(NetPeer peer);

    public abstract void OnConnectionRequest(ConnectionRequest request);

    public virtual void OnPeerDisconnected(NetPeer peer, DisconnectInfo disconnectInfo) =>
        (peer.Tag as LiteNetChannel)?.Fail($"{peer} is gone: {Describe(disconnectInfo.Reason, disconnectInfo.SocketErrorCode)}.");

    public void OnNetworkReceive(NetPeer peer, NetPacketReader reader, byte channelNumber, DeliveryMethod deliveryMethod)
    {
        if (peer.Tag is LiteNetChannel channel)
            channel.Receive(reader, deliveryMethod);
        else
            reader.Recycle(); // it sends before it is let in
    }

    public void OnMessageDelivered(NetPeer peer, object userData) => ((LiteNetChannel)userData).NoteDelivered();

    public void OnNetworkError(IPEndPoint endPoint, SocketError socketError)
    {
        // LiteNetLib tells a peer's own errors as its disconnect; what is left concerns nobody who is connected.
    }

    public void OnNetworkReceiveUnconnected(IPEndPoint remoteEndPoint, NetPacketReader reader, UnconnectedMessageType messageType) => reader.Recycle();

    public void OnNetworkLatencyUpdate(NetPeer peer, int latency)
    {
        // the host measures its own, to the handler and back
    }

    protected static string Describe(global::LiteNetLib.DisconnectReason reason, SocketError error) =>
        error == SocketError.Success ? $"{reason}" : $"{reason}, {error}";
}
