namespace Reloaded.Messaging.Hosting;

/// <summary>The ids of messages that the library itself sends as events, requests and replies. docs/specification/wire-format.md reserves the ids from 0xFFFF0000 on.</summary>
internal static class LibraryTypes
{
    /// <summary>The lowest reserved id.</summary>
    public const uint First = 0xFFFF0000;

    /// <summary>The trace context of the message after it.</summary>
    public const uint TraceContext = Hosting.TraceContext.Type;

    /// <summary>The request and the reply of <see cref="Peer.InspectAsync"/>, and the two messages in the reply.</summary>
    public const uint InspectHost = 0xFFFF0010;
    public const uint HostInspection = 0xFFFF0011;
    public const uint InspectedPeer = 0xFFFF0012;
    public const uint InspectedType = 0xFFFF0013;

    /// <summary>The reply that opens a stream.</summary>
    public const uint StreamOpened = 0xFFFF0020;

    /// <summary>Requests the next block of a stream, or closes the stream.</summary>
    public const uint StreamPull = 0xFFFF0021;

    /// <summary>A block of a stream.</summary>
    public const uint StreamBlock = 0xFFFF0022;

    /// <summary>Offers a file to the remote side.</summary>
    public const uint FileOffered = 0xFFFF0023;

    /// <summary>The reply to <see cref="FileOffered"/> after the file was received.</summary>
    public const uint FileReceived = 0xFFFF0024;

    /// <summary>Requests a file of the remote side.</summary>
    public const uint FileWanted = 0xFFFF0025;

    /// <summary>The reply to <see cref="FileWanted"/>.</summary>
    public const uint FileFound = 0xFFFF0026;

    /// <summary>Reports how much of a file the receiver already has.</summary>
    public const uint FileStart = 0xFFFF0027;

    /// <summary>The reply to <see cref="FileStart"/>: the offset at which the file continues.</summary>
    public const uint FileStarted = 0xFFFF0028;

    /// <summary>Requests the next block of the items of a request, or closes these items.</summary>
    public const uint ItemPull = 0xFFFF0029;

    /// <summary>Opens the reports of a request, requests the next one, or closes them.</summary>
    public const uint ReportPull = 0xFFFF002A;

    /// <summary>The entry of an announcement whose name is the layouts of the announced contracts. Never sent as a message.</summary>
    public const uint ContractLayouts = 0xFFFF0060;

    /// <summary>The reply to a request without a result, with an empty payload.</summary>
    public const uint Acknowledgement = 0xFFFF0040;

    /// <summary>Only announced: the host reads sequenced events.</summary>
    public const uint SequencedEvents = 0xFFFF0050;

    /// <summary>Whether a request calls no callback of the program: it continues a stream or transfer that is open already, or reads the state of the host. It passes no filter, and a host that stops still handles it.</summary>
    public static bool CallsNoCallback(uint type) => type is StreamPull or ItemPull or ReportPull or FileStart or InspectHost;
}
