namespace Reloaded.Messaging.Hosting;

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
