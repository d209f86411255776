using System.Collections.Generic;

namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>The container with its list of items.</summary>
[Message(32, Pooled = true)]
public sealed class NotificationBatch
{
    public List<Notification> Items { get; set; } = [];
}
