using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <summary>The state of a host, as <see cref="MessageHost.AllowInspection"/> shows it to a peer. Values that the remote side does not know have their defaults.</summary>
/// <remarks>Messages are counted from the first inspection on, while a peer that inspects is connected. The counts include messages of the library.</remarks>
[Message(LibraryTypes.HostInspection, VersionTolerant = true)]
public sealed class HostInspection
{
    /// <summary>The maximum number of <see cref="Peers"/>.</summary>
    public const int MaxPeers = 200;

    /// <summary>The maximum number of <see cref="Types"/>.</summary>
    public const int MaxTypes = 500;

    /// <summary>The name of the process.</summary>
    [MessageField(1)]
    public string Process { get; set; } = "";

    /// <summary>The process id.</summary>
    [MessageField(2)]
    public int ProcessId { get; set; }

    /// <summary>The name and version of the .NET runtime.</summary>
    [MessageField(3)]
    public string Runtime { get; set; } = "";

    /// <summary>The time since the host allowed inspections.</summary>
    [MessageField(4)]
    public TimeSpan Uptime { get; set; }

    /// <summary>The time since the messages are counted. A rate is the difference of two counts, divided by the difference of these times.</summary>
    [MessageField(5)]
    public TimeSpan CountedFor { get; set; }

    /// <summary>The number of connected peers, including the peer that inspects.</summary>
    [MessageField(6)]
    public int PeerCount { get; set; }

    /// <summary>The connected peers with the lowest ids, at most <see cref="MaxPeers"/>.</summary>
    [MessageField(7)]
    public List<InspectedPeer> Peers { get; set; } = [];

    /// <summary>The types whose messages were counted, with the most messages first, at most <see cref="MaxTypes"/>. The first 1,024 types of a host are counted.</summary>
    [MessageField(8)]
    public List<InspectedType> Types { get; set; } = [];

    /// <summary>The number of messages that wait for <see cref="MessageHost.Pump"/>.</summary>
    [MessageField(9)]
    public int Queued { get; set; }

    /// <summary>The counters of <see cref="HostStatistics"/> and <see cref="DispatchStatus"/> by name, since the host was created. A counter that is 0 may be missing.</summary>
    [MessageField(10)]
    public Dictionary<string, long> Counters { get; set; } = [];
}

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

    /// <summary>The <see cref="Peer.RoundTripTime"/>.</summary>
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
}

/// <summary>The traffic of one message type of an inspected host. Control messages are not included.</summary>
[Message(LibraryTypes.InspectedType, VersionTolerant = true)]
public sealed class InspectedType
{
    /// <summary>The id. A fault counts for the type of its request.</summary>
    [MessageField(1)]
    public uint Type { get; set; }

    /// <summary>The full name of the .NET type; empty if the host sends the type and does not announce it.</summary>
    [MessageField(2)]
    public string Name { get; set; } = "";

    /// <summary>The number of received messages.</summary>
    [MessageField(3)]
    public long Received { get; set; }

    /// <summary>The size of the received messages in bytes.</summary>
    [MessageField(4)]
    public long ReceivedBytes { get; set; }

    /// <summary>The number of sent messages.</summary>
    [MessageField(5)]
    public long Sent { get; set; }

    /// <summary>The size of the sent messages in bytes.</summary>
    [MessageField(6)]
    public long SentBytes { get; set; }
}
