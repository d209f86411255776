using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Requests and replies of a peer that knows no correlation ids: they belong together by their order.</summary>
/// <remarks>Both directions: our requests wait in the order in which they were sent, and our replies leave in the order of its requests.</remarks>
internal sealed class FifoExchange(Outbox outbox, int maxUnanswered)
{
    private readonly Queue<(uint Id, uint ReplyType)> _asked = new(); // also the gate of what is asked
    private readonly Dictionary<uint, (PackedMessage Reply, bool IsSecret)> _early = []; // also the gate of what is answered
    private uint _received;
    private uint _answered;
    private int _earlyBytes;
    private AsyncGate _room;
    private bool _isClosed;

    /// <summary>Sends a request, behind those that wait.</summary>
    /// <returns>Full also while too many are unanswered, those included that have timed out: their replies may still come.</returns>
    public SendStatus Ask(uint id, uint replyType, PackedMessage request, bool isSecret)
    {
        lock (_asked)
        {
            if (_asked.Count >= maxUnanswered)
                return SendStatus.Full;
            var sent = outbox.TryAppend(request.Span, isSecret);
            if (sent == SendStatus.Sent)
                _asked.Enqueue((id, replyType));
            return sent;
        }
    }

    /// <summary>Completes when a request may be sent behind those that wait, or the peer is gone.</summary>
    public Task WaitForRoomAsync()
    {
        lock (_asked)
        {
            if (_isClosed || _asked.Count < maxUnanswered)
                return Task.CompletedTask;
            return _room.WaitAsync();
        }
    }

    /// <summary>Finds whose reply or fault it is. A request that has ended keeps its place until then, and nobody gets what comes for it.</summary>
    /// <returns>False if it is no reply to the first that waits.</returns>
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

    /// <summary>Gives one of its requests a number. On the thread that receives.</summary>
    public uint Begin() => _received++;

    /// <summary>Sends a reply or a fault when those to the requests before it are sent.</summary>
    /// <param name="number">The request's.</param>
    /// <param name="reply">It; given up.</param>
    /// <param name="isSecret">Whether to zero it behind it.</param>
    /// <param name="maxPending">Past so many bytes in the outbox, or of replies that wait for their turn, it is full.</param>
    /// <param name="lacksTotal">Whether a reply was refused because all outboxes together hold too much. It waits for <see cref="SendAnswers"/>.</param>
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
            return SendAnswers(maxPending, out lacksTotal);
        }
    }

    /// <summary>Sends the replies whose turn it is. A reply that was refused keeps its turn.</summary>
    /// <inheritdoc cref="Answer"/>
    public SendStatus SendAnswers(int maxPending, out bool lacksTotal)
    {
        lacksTotal = false;
        lock (_early)
        {
            if (_isClosed)
                return SendStatus.Closed;
            while (_early.TryGetValue(_answered, out var next))
            {
                var status = outbox.TryAppend(next.Reply.Span, next.IsSecret, maxPending, out lacksTotal);
                if (status != SendStatus.Sent)
                    return status;
                _early.Remove(_answered++);
                _earlyBytes -= next.Reply.Length;
                next.Reply.Dispose();
            }

            return SendStatus.Sent;
        }
    }

    /// <summary>Gives back what waits.</summary>
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
