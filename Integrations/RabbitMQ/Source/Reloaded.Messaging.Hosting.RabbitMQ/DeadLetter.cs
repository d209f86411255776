using System;
using System.Collections.Generic;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A message that no host of a group could handle. <see cref="DeadLetterQueue.ReadAsync"/> returns it. Immutable.</summary>
public sealed class DeadLetter
{
    internal DeadLetter(BasicGetResult delivery, Origin from)
    {
        Delivery = delivery;
        Origin = from;
        var death = DeathRecord.ReadNewest(delivery.BasicProperties.Headers);
        Reason = death?.Reason ?? "";
        Time = death?.Time;
        Deaths = death is null ? 0 : death.Value.Count + Envelope.DeathsOf(delivery.BasicProperties.Headers!);
        Source = death?.Queue ?? "";
        Messages = delivery.BasicProperties.Type == TopologyNames.Batch ? SplitBatch(delivery.Body) : [delivery.Body];
    }

    /// <summary>The sender, the topic and the number of the message, or of the first message of a batch. <see cref="Origin.Tries"/> counts how often the message was read from the dead letters.</summary>
    public Origin Origin { get; }

    /// <summary>The reason that the broker recorded: <c>delivery_limit</c> (the message was returned too often), <c>rejected</c> (no handler, an unreadable message, or the last try) or another reason of the broker; empty if it recorded none.</summary>
    public string Reason { get; }

    /// <summary>The time at which the message last became a dead letter, in seconds; <c>null</c> if the broker recorded no time.</summary>
    public DateTimeOffset? Time { get; }

    /// <summary>The number of times that the message became a dead letter (at least 0). More than 1 if <see cref="DeadLetterQueue.MoveAsync"/> moved it back.</summary>
    public long Deaths { get; }

    /// <summary>The packed messages: one, or those of a batch. If a batch is damaged, its unreadable rest is the last element. The memory belongs to the dead letter and stays valid.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> Messages { get; }

    /// <summary>The size of all messages, with the lengths that a batch contains, in bytes.</summary>
    public int Size => Delivery.Body.Length;

    internal BasicGetResult Delivery { get; }

    /// <summary>The queue that contained the message, as the broker recorded it. Another program may have written the record.</summary>
    internal string Source { get; }

    private static List<ReadOnlyMemory<byte>> SplitBatch(ReadOnlyMemory<byte> batch)
    {
        var messages = new List<ReadOnlyMemory<byte>>();
        while (!batch.IsEmpty)
        {
            var rest = batch.Span;
            if (Wire.Frame.TryRead(ref rest, batch.Length, out var message) != Wire.FrameStatus.Ok)
            {
                messages.Add(batch);
                break;
            }

            var read = batch.Length - rest.Length;
            messages.Add(batch.Slice(read - message.Length, message.Length));
            batch = batch.Slice(read);
        }

        return messages;
    }
}
