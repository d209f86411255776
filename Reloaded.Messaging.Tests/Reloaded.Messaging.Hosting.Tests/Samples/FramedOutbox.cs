using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>The messages that wait to be written to a stream, and the order of requests and replies. The messages that arrive during a write go out with the next one.</summary>
internal sealed class FramedOutbox(Stream stream, LengthPrefix prefix) : IThreadPoolWorkItem
{
    /// <summary>The maximum number of requests without a reply. Requests that have timed out count, because their replies may still arrive.</summary>
    public const int MaxUnanswered = 1024;

    private const int MaxPending = 4 * 1024 * 1024;

    private readonly object _gate = new();
    private readonly Queue<(uint Id, uint ReplyType)> _asked = new();
    private readonly Dictionary<uint, (byte[] Reply, bool IsSecret)> _early = [];
    private readonly TaskCompletionSource _written = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private byte[] _waiting = new byte[4096];
    private byte[] _writing = new byte[4096];
    private int _length;
    private int _earlyLength;
    private bool _hasSecret;
    private uint _received;
    private uint _answered;
    private bool _isWriting;
    private bool _isCorked;
    private bool _isClosed;

    /// <summary>Copies an event. Never waits.</summary>
    public SendStatus Send(ReadOnlySpan<byte> message, bool isSecret)
    {
        lock (_gate)
        {
            if (Append(message, isSecret) is var status and not SendStatus.Sent)
                return status;
        }

        Write();
        return SendStatus.Sent;
    }

    /// <summary>Copies a request after the requests that wait for their replies.</summary>
    public SendStatus Ask(uint id, uint replyType, ReadOnlySpan<byte> request, bool isSecret)
    {
        lock (_gate)
        {
            if (_asked.Count == MaxUnanswered)
                return SendStatus.Full;
            if (Append(request, isSecret) is var status and not SendStatus.Sent)
                return status;
            _asked.Enqueue((id, replyType));
        }

        Write();
        return SendStatus.Sent;
    }

    /// <summary>Finds the request of a reply or fault: the oldest one. A request that has ended keeps its place until its reply arrives.</summary>
    public bool TryMatch(in MessageHeader header, out uint id)
    {
        lock (_gate)
        {
            id = 0;
            if (!_asked.TryPeek(out var first) || (header.Kind != MessageKind.Fault && (header.Kind != MessageKind.Event || header.Type != first.ReplyType)))
                return false;
            id = _asked.Dequeue().Id;
            return true;
        }
    }

    /// <summary>Returns the number of a received request. Called by the receiving thread.</summary>
    public uint Begin() => _received++;

    /// <summary>Copies a reply or a fault after the replies to all earlier requests.</summary>
    public SendStatus Answer(uint number, ReadOnlySpan<byte> reply, bool isSecret)
    {
        lock (_gate)
        {
            if (number != _answered)
                return Keep(number, reply, isSecret);
            var status = Append(reply, isSecret);
            while (status == SendStatus.Sent && _early.Remove(++_answered, out var next))
            {
                _earlyLength -= next.Reply.Length;
                status = Append(next.Reply, next.IsSecret);
            }

            if (status != SendStatus.Sent)
                return status;
        }

        Write();
        return SendStatus.Sent;
    }

    /// <summary>Delays the writing until <see cref="Uncork"/>.</summary>
    public void Cork()
    {
        lock (_gate)
            _isCorked = true;
    }

    /// <summary>Writes what waits, on this thread as far as the stream takes it at once.</summary>
    public void Uncork()
    {
        lock (_gate)
        {
            _isCorked = false;
            if (!TryBeginWriting())
                return;
        }

        Execute();
    }

    /// <summary>Accepts no further messages.</summary>
    /// <returns>Completes when the messages are written.</returns>
    public Task CloseAsync()
    {
        lock (_gate)
        {
            _isClosed = true;
            if (!_isWriting && _length == 0)
                _written.TrySetResult();
        }

        Write();
        return _written.Task;
    }

    public void Execute() => _ = WriteAsync();

    private SendStatus Append(ReadOnlySpan<byte> message, bool isSecret)
    {
        if (_isClosed)
            return SendStatus.Closed;
        if (_length > 0 && _length + message.Length > MaxPending)
            return SendStatus.Full;
        var start = _length + PrefixedFrame.SizeOf(prefix);
        if (_waiting.Length < start + message.Length)
            Array.Resize(ref _waiting, Math.Max(2 * _waiting.Length, start + message.Length));
        PrefixedFrame.WriteLength(prefix, _waiting.AsSpan(_length), message.Length);
        message.CopyTo(_waiting.AsSpan(start));
        _length = start + message.Length;
        _hasSecret |= isSecret;
        return SendStatus.Sent;
    }

    private SendStatus Keep(uint number, ReadOnlySpan<byte> reply, bool isSecret)
    {
        if (_isClosed)
            return SendStatus.Closed;
        if (_earlyLength + reply.Length > MaxPending)
            return SendStatus.Full;
        _early.Add(number, (reply.ToArray(), isSecret));
        _earlyLength += reply.Length;
        return SendStatus.Sent;
    }

    private void Write()
    {
        lock (_gate)
        {
            if (!TryBeginWriting())
                return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false); // messages of this thread until then leave together
    }

    private bool TryBeginWriting()
    {
        if (_isWriting || _isCorked || _length == 0)
            return false;
        return _isWriting = true;
    }

    private async Task WriteAsync()
    {
        try
        {
            while (TryTake(out var frames, out var hasSecret))
            {
                await stream.WriteAsync(frames);
                if (hasSecret)
                    Array.Clear(_writing, 0, frames.Length);
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            lock (_gate)
                _isClosed = true; // the receiving ends, too
            _written.TrySetResult();
        }
    }

    private bool TryTake(out ReadOnlyMemory<byte> frames, out bool hasSecret)
    {
        lock (_gate)
        {
            (_writing, _waiting) = (_waiting, _writing);
            frames = _writing.AsMemory(0, _length);
            (hasSecret, _hasSecret) = (_hasSecret, false);
            _length = 0;
            _isWriting = !frames.IsEmpty;
            if (!_isWriting && _isClosed)
                _written.TrySetResult();
            return _isWriting;
        }
    }
}
