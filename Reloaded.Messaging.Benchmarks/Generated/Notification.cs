namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>The notification of a changed value, from a server to a subscriber.</summary>
[Message(31, Pooled = true)]
public sealed class Notification
{
    public uint Id { get; set; }
    public double Value { get; set; }
    public uint Status { get; set; }
    public DateTime SourceTime { get; set; }
    public DateTime ServerTime { get; set; }
}
