using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The requests and replies of a peer without correlation ids. Replies are matched to requests by their order.</summary>
/// <remarks>Covers two directions: requests of this side wait in the order in which they were sent, and replies of this side are sent in the order of the remote requests.</remarks>
internal sealed class FifoExchange(Outbox outbox, int maxUnanswered)
{
    private readonly Queue<(uint Id, uint ReplyType)> _asked = new(); // also the lock of the requests of this side
    private readonly Dictionary<uint, (PackedMessage Reply, bool IsSecret)> _early = []; // also the lock of the replies of this side
    private uint _received;
    private uint _answered;
    private int _earlyBytes;
    private AsyncGate _room;
    private bool _isClosed;

    /// <summary>Sends a request after the requests that wait.</summary>
    /// <returns><see cref="SendStatus.Full"/> also while too many requests are unanswered. Requests that timed out count, because their replies may still arrive.</returns>
    public SendStatus Ask(uint id, uint replyType, PackedMessage request, bool isSecret)
    {
        var frame = new OutgoingFrame(request.Span, isSecret) { Observation = FrameObservation.ByCaller };
        lock (_asked)
        {
            if (_asked.Count >= maxUnanswered)
                return SendStatus.Full;
            if (outbox.Append(ref frame) is var sent and not SendStatus.Sent)
                return sent;
            _asked.Enqueue((id, replyType));
        }

        outbox.NoteSent(in frame);
        return SendStatus.Sent;
    }

    /// <summary>Completes when a further request may be sent, or when the peer has disconnected.</summary>
    public Task WaitForRoomAsync()
    {
        lock (_asked)
        {
            if (_isClosed || _asked.Count < maxUnanswered)
                return Task.CompletedTask;
            return _room.WaitAsync();
        }
    }

    /// <summary>Finds the request of a reply or fault. A request that has ended keeps its place until its reply arrives, and that reply is dropped.</summary>
    /// <returns><c>false</c> if the message is not a reply to the oldest waiting request.</returns>
    public bool TryMatch(in MessageHeader header, out uint id)
    {
        lock (_asked)
        {
            id = 0;
            if (!_asked.TryPeek(out var first) || (header.Kind != MessageKind.Fault && header.Type != first.ReplyType))
                return false;
            id = _asked.Dequeue().Id;
            _room.Open();
            return true;
        }
    }

    /// <summary>Returns the number of a new remote request. Called on the receiving thread.</summary>
    public uint Begin() => _received++;

    /// <summary>Sends a reply or a fault after the replies to all earlier requests were sent.</summary>
    /// <param name="number">The number of the request.</param>
    /// <param name="reply">The reply. This method takes ownership.</param>
    /// <param name="isSecret">Whether to zero the bytes of the reply after they are written.</param>
    /// <param name="maxPending">The maximum number of bytes in the outbox, and of replies that wait for an earlier reply.</param>
    /// <param name="lacksTotal">Whether a reply was refused because the limit of all outboxes together is reached. The reply waits for <see cref="SendAnswers"/>.</param>
    public SendStatus Answer(uint number, PackedMessage reply, bool isSecret, int maxPending, out bool lacksTotal)
    {
        lacksTotal = false;
        lock (_early)
        {
            if (_isClosed || (number != _answered && _earlyBytes + (long)reply.Length > maxPending))
            {
                reply.Dispose();
                return _isClosed ? SendStatus.Closed : SendStatus.Full;
            }

            _early.Add(number, (reply, isSecret));
            _earlyBytes += reply.Length;
        }

        return SendAnswers(maxPending, out lacksTotal);
    }

    /// <summary>Sends the replies for which all earlier replies were sent. A refused reply keeps its place.</summary>
    /// <inheritdoc cref="Answer"/>
    public SendStatus SendAnswers(int maxPending, out bool lacksTotal)
    {
        lacksTotal = false;
        while (true)
        {
            (PackedMessage Reply, bool IsSecret) next;
            OutgoingFrame frame;
            lock (_early)
            {
                if (_isClosed)
                    return SendStatus.Closed;
                if (!_early.TryGetValue(_answered, out next))
                    return SendStatus.Sent;
                frame = new OutgoingFrame(next.Reply.Span, next.IsSecret) { MaxPending = maxPending, Observation = FrameObservation.ByCaller };
                var status = outbox.Append(ref frame);
                lacksTotal = frame.LacksTotal;
                if (status != SendStatus.Sent)
                    return status;
                _early.Remove(_answered++);
                _earlyBytes -= next.Reply.Length;
            }

            outbox.NoteSent(in frame);
            next.Reply.Dispose();
        }
    }

    /// <summary>Releases the waiting replies.</summary>
    public void Close()
    {
        lock (_asked)
        {
            _isClosed = true;
            _room.Open();
        }

        lock (_early)
        {
            foreach (var (_, (reply, _)) in _early)
                reply.Dispose();
            _early.Clear();
        }
    }
}
