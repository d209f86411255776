namespace Reloaded.Messaging.Hosting;

/// <summary>A peer of an inspected host. The counts are those of the host: received messages are messages that the peer sent.</summary>
[Message(LibraryTypes.InspectedPeer, VersionTolerant = true)]
public sealed class InspectedPeer
{
    /// <summary>The <see cref="Peer.Id"/>.</summary>
    [MessageField(1)]
    public long Id { get; set; }

    /// <summary>The <see cref="Peer.RemoteName"/>, at most 200 characters.</summary>
    [MessageField(2)]
    public string Name { get; set; } = "";

    /// <summary>The <see cref="PeerStatistics.RoundTripTime"/>.</summary>
    [MessageField(3)]
    public TimeSpan RoundTripTime { get; set; }

    /// <summary>The number of received messages.</summary>
    [MessageField(4)]
    public long Received { get; set; }

    /// <summary>The size of the received messages in bytes.</summary>
    [MessageField(5)]
    public long ReceivedBytes { get; set; }

    /// <summary>The number of sent messages.</summary>
    [MessageField(6)]
    public long Sent { get; set; }

    /// <summary>The size of the sent messages in bytes.</summary>
    [MessageField(7)]
    public long SentBytes { get; set; }

    /// <summary>The size of the messages that wait to be written, in bytes.</summary>
    [MessageField(8)]
    public int PendingBytes { get; set; }

    /// <summary>Over UDP, <see cref="PathStatistics.Jitter"/>.</summary>
    [MessageField(9)]
    public TimeSpan Jitter { get; set; }

    /// <summary>Over UDP, <see cref="PathStatistics.ReceivedLossShare"/>; 0 if it is not known.</summary>
    [MessageField(10)]
    public double ReceivedLossShare { get; set; }

    /// <summary>Over UDP, <see cref="PathStatistics.SentLossShare"/>; 0 if it is not known.</summary>
    [MessageField(11)]
    public double SentLossShare { get; set; }

    /// <summary>Over UDP, <see cref="PathStatistics.CongestionWindow"/>; 0 over other transports.</summary>
    [MessageField(12)]
    public int CongestionWindow { get; set; }

    /// <summary>Whether the peer has inspected the host.</summary>
    [MessageField(13)]
    public bool IsInspector { get; set; }
}
