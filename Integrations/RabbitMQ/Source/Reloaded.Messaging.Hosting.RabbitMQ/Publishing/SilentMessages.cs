using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The messages of a topic that wait until the broker has confirmed those over an earlier channel. Used under the lock of the queue.</summary>
/// <param name="since">The time at which the queue left the channel, in milliseconds.</param>
internal sealed class SilentMessages(long since)
{
    public long Since => since;

    /// <summary>The number of messages that were published over earlier channels and are not confirmed.</summary>
    public int Unconfirmed { get; set; }

    /// <summary>The later messages of the topic, in order.</summary>
    public Queue<Outgoing> Held { get; } = new();

    public bool IsReported { get; set; }

    /// <summary>The number of messages that wait.</summary>
    public int Count => Unconfirmed + Held.Count;
}
