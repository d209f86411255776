namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>A container with a list of notifications.</summary>
[Message(32, Pooled = true)]
public sealed class NotificationBatch
{
    public List<Notification> Items { get; set; } = [];
}
