using System.Globalization;
using System.IO;
using System.Net;
using LiteNetLib;
using LiteNetLib.Layers;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>Sees each datagram below LiteNetLib, and lets LiteNetLib continue at once where it would wait for its next update.</summary>
/// <remarks>
/// LiteNetLib sends acknowledgements, and the packets for which they make room, in its update, every 15 ms. At most 64 packets of a channel are
/// unacknowledged, so reliable traffic in one direction would stop at 64 packets per update. LiteNetLib reports neither an acknowledgement nor a fragment
/// of a message, so the layer below is the only place that sees them.
/// </remarks>
/// <param name="host">The counters of the host, which get what LiteNetLib logs; <c>null</c> if no host uses the layer.</param>
internal class LiteNetLayer(DatagramCounters? host) : PacketLayerBase(0)
{
    private const string UpdateThread = "LogicThread";

    protected const int KindBits = 0x1F;
    protected const int Channeled = 1;
    protected const int ReliableMerged = 2;
    protected const int Ack = 3;
    protected const int Merged = 13;

    public override void ProcessInboundPacket(ref IPEndPoint endPoint, ref byte[] data, ref int length)
    {
        if (host is not null)
            LiteNetLog.AssignThread(host); // only LiteNetLib's receiving thread gets here
        if (length == 0 || endPoint is not NetPeer { Tag: LiteNetChannel channel })
            return;
        var kind = data[0] & KindBits;
        if (kind is Channeled or ReliableMerged or Merged)
            channel.NoteReliableArrived();
        if (kind is Ack or Merged)
            channel.NoteAcknowledged();
    }

    public override void ProcessOutBoundPacket(ref IPEndPoint endPoint, ref byte[] data, ref int offset, ref int length)
    {
        if (host is not null && Thread.CurrentThread.Name == UpdateThread) // threads of the program get here too, when they connect and disconnect
            LiteNetLog.AssignThread(host);
        if (data.Length < NetConstants.MaxPacketSize)
            Grow(ref data, offset, length);
    }

    /// <summary>Gives a pooled packet of LiteNetLib its final size. LiteNetLib alone would replace its array each time that the packet is used for more bytes.</summary>
    private static void Grow(ref byte[] data, int offset, int length)
    {
        var grown = new byte[NetConstants.MaxPacketSize];
        data.AsSpan(offset, length).CopyTo(grown.AsSpan(offset));
        data = grown;
    }
}
