using System;

namespace Reloaded.Messaging.Hosting;

/// <content>How an outbox ends: it is sealed with a goodbye, closed, or its channel fails.</content>
internal sealed partial class Outbox
{
    /// <summary>The number of frames that were appended and not written when the outbox was closed. Control messages do not count. Frames of a write that was running may have arrived; this side cannot know.</summary>
    public int LostFrames
    {
        get
        {
            var lost = _lostFrames;
            foreach (var lane in Lanes)
                lost += lane?._lostFrames ?? 0;
            return lost;
        }
    }

    /// <summary>Whether the frames that are being written are the goodbye. An outbox with lanes writes the goodbye separately.</summary>
    private bool IsAtGoodbye
    {
        get
        {
            using (_gate.Enter())
                return _hasGoodbye && _queue.PendingLength == 0;
        }
    }

    /// <summary>Appends a last message. Further messages are refused. Pending messages are still written.</summary>
    /// <param name="last">The message; empty for no message.</param>
    /// <returns><c>false</c> if the outbox is already sealed or closed; otherwise, <c>true</c>.</returns>
    public bool TrySeal(ReadOnlySpan<byte> last)
    {
        var frame = new OutgoingFrame(last);
        frame.ObservedAt = !last.IsEmpty && _observer is { IsActive: true } observer ? observer.Begin(_peer!) : 0;
        using (_gate.Enter())
        {
            if (_stage != Stage.Open)
                return false;
            if (_lanes is not null)
                _queue.Divide(); // the messages before it are written before the lanes end
            if (!last.IsEmpty)
                _queue.Pending.Append(last, isSecret: false, _datagrams is not null ? Delivery.Reliable : default, isControl: true);
            _hasGoodbye = !last.IsEmpty;
            _stage = Stage.Sealed;
            _room.Open();
        }

        NoteSent(in frame);
        return true;
    }

    /// <summary>Refuses further messages and counts the messages that were not written. May be called more than once.</summary>
    public void Close()
    {
        using (_gate.Enter())
        {
            if (_stage != Stage.Closed)
                CloseLocked();
        }

        CloseLanes();
    }

    private void Fail(Exception reason)
    {
        using (_gate.Enter())
        {
            _isFlushing = false;
            if (_stage == Stage.Closed)
                _queue.FreeWriting();
            else
                CloseLocked(); // before another thread can append and begin a write
        }

        if (_lanes is not null)
            CloseLanes();
        _failed(reason);
    }

    private void CloseLocked()
    {
        _gate.AssertHeld();
        _stage = Stage.Closed;
        _lostFrames = _queue.Close(_isFlushing);
        _room.Open();
    }
}
