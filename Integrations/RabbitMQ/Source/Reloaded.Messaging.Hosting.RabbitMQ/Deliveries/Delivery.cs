using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>A received message, until it is settled.</summary>
/// <remarks>
/// The running handlers of a delivery keep it open, as do the at-least-once messages that its handlers published and that are not confirmed. The last of
/// them to end settles the delivery. A delivery that is not shared is used for another message after that.
/// </remarks>
/// <param name="settle">Reports the outcome of the delivery to the broker.</param>
internal sealed class Delivery(Func<Delivery, Outcome, Task> settle) : IThreadPoolWorkItem
{
    private byte[]? _buffer;
    private int _length;
    private int _open;
    private int _calls;
    private int _worst;

    /// <summary>The tag of the delivery.</summary>
    public ulong Tag { get; private set; }

    /// <summary>The number of the channel in the <see cref="DeliveryTable"/>; 0 for an at-most-once message.</summary>
    public int Channel { get; private set; }

    /// <summary>The origin of the message, or of the first message of a batch.</summary>
    public Origin From { get; private set; }

    /// <summary>Whether the broker has delivered the message before.</summary>
    public bool IsRedelivered { get; private set; }

    public IReadOnlyBasicProperties Properties { get; private set; } = null!;

    /// <summary>Whether the body is a sequence of frames.</summary>
    public bool IsBatch => Properties.Type == TopologyNames.Batch;

    /// <summary>The copy of the body, which is valid until <see cref="Free"/>.</summary>
    public ReadOnlyMemory<byte> Body => _buffer.AsMemory(0, _length);

    public bool HasBody => _buffer is not null;

    /// <summary>Whether an asynchronous handler or a published message refers to the delivery. The delivery is then never used for another message.</summary>
    public bool IsShared { get; private set; }

    /// <summary>The state of the delivery, which its <see cref="DeliveryTable"/> changes.</summary>
    public DeliveryState State { get; set; }

    /// <summary>The time at which the first handler was called, in milliseconds. The table of the delivery sets it.</summary>
    public long StartedAt { get; set; }

    /// <summary>Whether the host has reported that the handler runs for long.</summary>
    public bool IsReported { get; set; }

    /// <summary>The outcome of an abandoned delivery whose handlers have ended.</summary>
    public Outcome Outcome { get; set; }

    /// <summary>
    /// The redelivery that waits for the end of the handlers of this abandoned delivery; <c>null</c> before the message is delivered again. For a redelivery, another
    /// one that waits for the same handlers: the broker may have two copies of a message whose confirm was lost.
    /// </summary>
    public Delivery? Successor { get; set; }

    /// <summary>Begins the delivery of a message.</summary>
    public void Begin(ulong tag, int channel, in Origin from, bool isRedelivered, IReadOnlyBasicProperties properties)
    {
        (Tag, Channel, From, IsRedelivered, Properties) = (tag, channel, from, isRedelivered, properties);
        (IsReported, _open, _calls, _worst) = (false, 1, 1, 0);
    }

    /// <summary>Copies the body, because the client reuses its memory.</summary>
    public void CopyBody(ReadOnlyMemory<byte> body)
    {
        _buffer = ArrayPool<byte>.Shared.Rent(body.Length);
        _length = body.Length;
        body.CopyTo(_buffer);
    }

    /// <summary>Zeroes the copy of the body and returns it to the pool, because it may contain a secret message.</summary>
    public void Free()
    {
        if (_buffer is null)
            return;
        _buffer.AsSpan(0, _length).Clear();
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = null;
    }

    /// <summary>Notes that other code than the loop of the consumer refers to the delivery.</summary>
    public void Share() => IsShared = true;

    /// <summary>Makes the delivery wait for a handler that continues. Called before <see cref="EndAsync"/> of the delivery itself.</summary>
    public void Add()
    {
        Interlocked.Increment(ref _open);
        Interlocked.Increment(ref _calls);
    }

    /// <summary>Records the end of the calls of the handlers, or of a handler that continued.</summary>
    /// <returns>Whether no handler runs any more.</returns>
    public bool EndCall() => Interlocked.Decrement(ref _calls) == 0;

    /// <summary>Makes the delivery wait for a message that its handler publishes.</summary>
    /// <returns><c>false</c> if the delivery is already settled; otherwise, <c>true</c>, and <see cref="Complete"/> must follow.</returns>
    public bool TryAdd()
    {
        var open = Volatile.Read(ref _open);
        while (open > 0)
        {
            var before = Interlocked.CompareExchange(ref _open, open + 1, open);
            if (before == open)
            {
                Share();
                return true;
            }

            open = before;
        }

        return false;
    }

    /// <summary>Records the end of the loop's call, or of a handler that continued.</summary>
    /// <returns>A task that completes when the delivery is settled, if this was the last end. The delivery must not be used any more, unless it is shared.</returns>
    public Task EndAsync(Outcome outcome) => End(outcome) ? SettleAsync((Outcome)_worst) : Task.CompletedTask;

    /// <summary>Records that a message that a handler published is confirmed or lost. After a loss, the delivery must be handled again.</summary>
    public void Complete(bool isConfirmed)
    {
        if (End(isConfirmed ? Outcome.Done : Outcome.Again))
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false); // the caller holds the lock of a queue
    }

    /// <summary>Reports an outcome to the broker.</summary>
    public Task SettleAsync(Outcome outcome) => settle(this, outcome);

    void IThreadPoolWorkItem.Execute() => _ = SettleAsync((Outcome)_worst);

    private bool End(Outcome outcome)
    {
        var worst = Volatile.Read(ref _worst);
        while ((int)outcome > worst)
        {
            var before = Interlocked.CompareExchange(ref _worst, (int)outcome, worst);
            if (before == worst)
                break;
            worst = before;
        }

        return Interlocked.Decrement(ref _open) == 0;
    }
}

/// <summary>The outcome of a delivery. The outcome of a batch is the highest outcome of its messages.</summary>
internal enum Outcome
{
    /// <summary>The message was handled, or needs no handling.</summary>
    Done = 0,

    /// <summary>No handler of this host can handle the message. It becomes a dead letter.</summary>
    Dead,

    /// <summary>The handler threw. The message is tried again until it has reached the maximum number of tries.</summary>
    Again,
}
