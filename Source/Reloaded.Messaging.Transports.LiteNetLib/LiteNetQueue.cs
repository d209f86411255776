using System.Buffers;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The frames that wait until LiteNetLib, whose queue has no bound, may receive them. All frames have one order; LiteNetLib delivers them by their type. Thread-safe.</summary>
/// <param name="send">Sends frames. The second argument is whether no other frame may overtake them. One call runs at a time.</param>
/// <param name="failed">Called when a send fails, with the number of messages that no call sends. Must call <see cref="End"/>.</param>
/// <param name="bytesLeft">Called without a lock after frames have left the queue.</param>
internal sealed class LiteNetQueue(Func<ReadOnlyMemory<byte>, bool, ValueTask> send, Action<Exception, int> failed, Action bytesLeft)
{
    private readonly object _gate = new();
    private readonly Queue<(long End, TaskCompletionSource Sent)> _flushes = [];
    private Frames _waiting = new();
    private Frames _sending = new();
    private long _queued; // the bytes that were ever queued
    private long _sent;
    private bool _isSending; // the thread that set it owns _sending
    private bool _isSealed;
    private bool _isEnded;

    /// <summary>The bytes that wait or are being sent.</summary>
    public int PendingBytes
    {
        get
        {
            lock (_gate)
                return (int)(_queued - _sent);
        }
    }

    /// <summary>Whether a message would be accepted now.</summary>
    public bool HasRoom(int size, int maxPending)
    {
        lock (_gate)
            return _isEnded || Accepts(size, maxPending);
    }

    /// <summary>Appends a message, and a message directly before it.</summary>
    /// <returns><c>false</c> if the queue is full, sealed, or has ended.</returns>
    public bool TryAdd(ReadOnlySpan<byte> before, ReadOnlySpan<byte> message, bool isReliable, int maxPending)
    {
        lock (_gate)
        {
            if (_isSealed || _isEnded || !Accepts(before.Length + message.Length, maxPending))
                return false;
            if (!before.IsEmpty)
                _queued += _waiting.Add(before, isReliable);
            _queued += _waiting.Add(message, isReliable);
            return true;
        }
    }

    /// <summary>Refuses further messages after a last one.</summary>
    public void Seal(ReadOnlySpan<byte> last)
    {
        lock (_gate)
        {
            if (!last.IsEmpty && !_isEnded)
                _queued += _waiting.Add(last, isReliable: true);
            _isSealed = true;
        }
    }

    /// <summary>Sends what waits, unless a thread already sends it.</summary>
    public void Flush()
    {
        lock (_gate)
        {
            if (_isSending || _waiting.Length == 0)
                return;
            _isSending = true;
        }

        _ = SendAsync();
    }

    /// <summary>Completes when everything that was queued before this call was sent, or when the queue has ended.</summary>
    public Task FlushAsync()
    {
        Task sent;
        lock (_gate)
        {
            if (_isEnded || _queued == _sent)
                return Task.CompletedTask;
            var flush = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _flushes.Enqueue((_queued, flush));
            sent = flush.Task;
        }

        Flush();
        return sent;
    }

    /// <summary>Drops and zeroes what waits.</summary>
    /// <returns>The number of dropped messages except control messages.</returns>
    public int End()
    {
        int dropped;
        lock (_gate)
        {
            _isEnded = true;
            _queued = _sent;
            dropped = CountMessages(_waiting.GetRest(0).Span);
            _waiting.Clear();
            if (!_isSending)
                _sending.Clear();
            while (_flushes.TryDequeue(out var flush))
                flush.Sent.SetResult();
        }

        bytesLeft();
        return dropped;
    }

    /// <summary>Returns the number of messages except control messages.</summary>
    public static int CountMessages(ReadOnlySpan<byte> frames)
    {
        var count = 0;
        while (Frame.TryRead(ref frames, int.MaxValue, out var message) == FrameStatus.Ok)
            count += MessageHeader.TryRead(message, out var header, out _) == HeaderStatus.Ok && header.Kind == MessageKind.Control ? 0 : 1;
        return count;
    }

    private bool Accepts(int size, int maxPending) => _waiting.Length == 0 || _waiting.Length + (long)size <= maxPending;

    private async Task SendAsync()
    {
        var run = 0;
        try
        {
            while (TryTake())
            {
                bytesLeft();
                for (run = 0; run < _sending.Runs; run++)
                    await send(_sending.GetRun(run, out var isReliable), isReliable).ConfigureAwait(false);
                NoteSent();
            }
        }
        catch (Exception e)
        {
            var dropped = CountMessages(_sending.GetRest(run + 1).Span);
            lock (_gate)
                _isSending = false;
            failed(e, dropped); // no other code observes this task
        }
    }

    private bool TryTake()
    {
        lock (_gate)
        {
            _sending.Clear();
            _isSending = _waiting.Length > 0 && !_isEnded;
            if (_isSending)
                (_waiting, _sending) = (_sending, _waiting);
            return _isSending;
        }
    }

    private void NoteSent()
    {
        lock (_gate)
        {
            if (_isEnded)
                return;
            _sent += _sending.Length;
            while (_flushes.TryPeek(out var flush) && flush.End <= _sent)
                _flushes.Dequeue().Sent.SetResult();
        }
    }

    /// <summary>Frames in one rented array, in runs of frames that are reliable or not.</summary>
    private sealed class Frames
    {
        private const int MinSize = 4 * 1024;

        private readonly List<(int Start, bool IsReliable)> _runs = [];
        private byte[] _bytes = [];

        public int Length { get; private set; }

        public int Runs => _runs.Count;

        public int Add(ReadOnlySpan<byte> message, bool isReliable)
        {
            var start = Length;
            Reserve(Length + UVarint.MaxSize + message.Length);
            if (_runs.Count == 0 || _runs[^1].IsReliable != isReliable)
                _runs.Add((start, isReliable));
            Length += UVarint.Write(_bytes.AsSpan(Length), (uint)message.Length);
            message.CopyTo(_bytes.AsSpan(Length));
            Length += message.Length;
            return Length - start;
        }

        public ReadOnlyMemory<byte> GetRun(int index, out bool isReliable)
        {
            (var start, isReliable) = _runs[index];
            var end = index + 1 < _runs.Count ? _runs[index + 1].Start : Length;
            return _bytes.AsMemory(start, end - start);
        }

        /// <summary>Returns the frames of a run and of all later ones.</summary>
        public ReadOnlyMemory<byte> GetRest(int index) => index < Runs ? _bytes.AsMemory(_runs[index].Start, Length - _runs[index].Start) : default;

        public void Clear()
        {
            Return();
            _bytes = [];
            Length = 0;
            _runs.Clear();
        }

        private void Reserve(int size)
        {
            if (size <= _bytes.Length)
                return;
            var larger = ArrayPool<byte>.Shared.Rent(Math.Max(size, Math.Max(MinSize, 2 * _bytes.Length)));
            _bytes.AsSpan(0, Length).CopyTo(larger);
            Return();
            _bytes = larger;
        }

        private void Return()
        {
            if (_bytes.Length == 0)
                return;
            _bytes.AsSpan(0, Length).Clear(); // messages may be secret
            ArrayPool<byte>.Shared.Return(_bytes);
        }
    }
}
