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
