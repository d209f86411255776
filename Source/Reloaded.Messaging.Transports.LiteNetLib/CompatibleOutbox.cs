using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The messages that wait to be sent to a program built on 2.0. One message at a time is sent. Thread-safe.</summary>
internal sealed class CompatibleOutbox(CompatibleChannel channel, CancellationToken ended) : IThreadPoolWorkItem
{
    private const int MaxPendingBytes = 4 * 1024 * 1024;

    private readonly object _gate = new();
    private readonly Queue<PackedMessage> _waiting = new();
    private AsyncGate _room; // opened when a message has left the queue, and when the outbox is sealed
    private AsyncGate _idle; // opened when no message is being sent
    private long _bytes;
    private int _lost;
    private bool _isSending;
    private bool _isSealed;

    /// <summary>The number of messages that were appended and could not be sent.</summary>
    public int Lost => Volatile.Read(ref _lost);

    /// <summary>Appends a message, and releases it if it is refused. Never waits.</summary>
    public SendStatus Append(PackedMessage message)
    {
        var status = TryAppend(message, waits: false, out _);
        if (status != SendStatus.Sent)
            message.Dispose();
        return status;
    }

    /// <summary>Appends a message, and waits while the queue is full. Releases the message if it is refused.</summary>
    public async ValueTask<SendStatus> AppendAsync(PackedMessage message, CancellationToken cancellationToken)
    {
        var status = SendStatus.Full;
        try
        {
            while ((status = TryAppend(message, waits: true, out var room)) == SendStatus.Full)
                await room!.WaitAsync(cancellationToken).ConfigureAwait(false);
            return status;
        }
        finally
        {
            if (status != SendStatus.Sent)
                message.Dispose();
        }
    }

    /// <summary>Refuses further messages.</summary>
    /// <returns>Completes when all appended messages are sent, or lost because the channel was aborted.</returns>
    public Task SealAsync()
    {
        lock (_gate)
        {
            _isSealed = true;
            _room.Open();
            return _isSending ? _idle.WaitAsync() : Task.CompletedTask;
        }
    }

    public void Execute() => _ = SendAsync();

    private SendStatus TryAppend(PackedMessage message, bool waits, out Task? room)
    {
        room = null;
        lock (_gate)
        {
            if (_isSealed)
                return SendStatus.Closed;
            if (_bytes > 0 && _bytes + message.Length > MaxPendingBytes)
            {
                if (waits)
                    room = _room.WaitAsync();
                return SendStatus.Full;
            }

            _waiting.Enqueue(message);
            _bytes += message.Length;
            if (_isSending)
                return SendStatus.Sent;
            _isSending = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return SendStatus.Sent;
    }

    private async Task SendAsync()
    {
        while (TryTake(out var message))
        {
            try
            {
                if (Volatile.Read(ref _lost) == 0)
                    await channel.SendAsync(message.Memory, ended).ConfigureAwait(false);
                else
                    Interlocked.Increment(ref _lost);
            }
            catch (Exception)
            {
                Interlocked.Increment(ref _lost);
                channel.Abort(); // the peer ends, because nothing is received any more
            }

            message.Dispose();
        }
    }

    private bool TryTake(out PackedMessage message)
    {
        lock (_gate)
        {
            _room.Open();
            _isSending = _waiting.TryDequeue(out message);
            if (_isSending)
                _bytes -= message.Length;
            else
                _idle.Open();
            return _isSending;
        }
    }
}
