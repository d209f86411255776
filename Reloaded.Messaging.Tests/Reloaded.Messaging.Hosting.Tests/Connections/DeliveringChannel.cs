using System.Linq;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>Records the queued messages. Each order has one queue, which the test empties.</summary>
internal sealed class DeliveringChannel : DatagramChannel
{
    private readonly Dictionary<Delivery, int> _queued = []; // the bytes of each order
    private readonly List<byte[]> _messages = [];
    private TaskCompletionSource _sent = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The deliveries of all messages that were queued.</summary>
    public List<Delivery> Deliveries { get; } = [];

    /// <summary>The number of calls of <see cref="Flush"/>.</summary>
    public int Flushes { get; private set; }

    /// <summary>The last message.</summary>
    public byte[]? Last { get; private set; }

    /// <summary>All messages that were queued, in their order, each with the message of <c>before</c> in front of it.</summary>
    public List<byte[]> Messages
    {
        get
        {
            lock (_queued)
                return [.. _messages];
        }
    }

    /// <summary>Called before each message is queued.</summary>
    public Action? Queuing { get; set; }

    /// <summary>Thrown by each call.</summary>
    public Exception? Failure { get; set; }

    public override string RemoteName => "nobody";

    public override int PendingBytes
    {
        get
        {
            lock (_queued)
                return _queued.Values.Sum();
        }
    }

    public override bool TryQueue(ReadOnlySpan<byte> message, Delivery delivery, int maxPending, ReadOnlySpan<byte> before = default)
    {
        ThrowIfFailed();
        Queuing?.Invoke();
        lock (_queued)
        {
            if (Last is not null || !HasRoom(before.Length + message.Length, delivery, maxPending))
                return false;
            _queued[delivery] = _queued.GetValueOrDefault(delivery) + before.Length + message.Length;
            Deliveries.Add(delivery);
            _messages.Add([.. before, .. message]);
            return true;
        }
    }

    public override bool HasRoom(int size, Delivery delivery, int maxPending)
    {
        ThrowIfFailed();
        lock (_queued)
            return !_queued.TryGetValue(delivery, out var pending) || pending + (long)size <= maxPending;
    }

    public override void Flush()
    {
        ThrowIfFailed();
        lock (_queued)
            Flushes++;
    }

    public override Task FlushAsync()
    {
        Flush();
        lock (_queued)
            return _queued.Count == 0 ? Task.CompletedTask : _sent.Task;
    }

    public override void Seal(ReadOnlySpan<byte> last)
    {
        ThrowIfFailed();
        lock (_queued)
            Last = last.ToArray();
    }

    /// <summary>Sends everything of a delivery.</summary>
    public void Release(Delivery delivery)
    {
        lock (_queued)
        {
            _queued.Remove(delivery);
            if (_queued.Count == 0)
            {
                _sent.SetResult();
                _sent = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            }
        }

        BytesLeft?.Invoke();
    }

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => throw new NotSupportedException();

    public override void Abort()
    {
    }

    public override ValueTask DisposeAsync() => default;

    private void ThrowIfFailed()
    {
        if (Failure is not null)
            throw Failure;
    }
}
