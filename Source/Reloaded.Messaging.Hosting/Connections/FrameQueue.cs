using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The frames that wait and the frames that are being written: two buffers that are swapped. Not thread-safe.</summary>
/// <remarks>The lock of the outbox protects all members except <see cref="TakeAlike"/>. The thread that writes owns the frames of a running write, from <see cref="TryTake"/> to the next <see cref="TryTake"/> or <see cref="FreeWriting"/>.</remarks>
internal sealed class FrameQueue(LengthPrefix prefix, PendingTotal? total)
{
    private FrameBuffer _writing = new(prefix, total);
    private AsyncGate _pendingWritten;
    private AsyncGate _writingWritten;

    /// <summary>The frames that wait.</summary>
    public FrameBuffer Pending { get; private set; } = new(prefix, total);

    /// <summary>The bytes of both buffers.</summary>
    public int Length => Pending.Length + _writing.Length;

    /// <summary>The bytes of both buffers that count towards the total.</summary>
    public int Charged => Pending.Charged + _writing.Charged;

    /// <summary>Ends the write of the frames that were taken before, and takes the frames that wait.</summary>
    /// <returns><c>false</c> if no frame waits.</returns>
    public bool TryTake(out ReadOnlyMemory<byte> frames)
    {
        // While many bytes wait, the next write will be as large. Returning the array would make it grow again from its smallest size.
        _writing.Clear(keepsLarge: Pending.IsLarge && total is not { IsAmple: false });
        _writingWritten.Open();
        frames = default;
        if (Pending.Length == 0)
        {
            Pending.Clear(keepsLarge: false);
            return false;
        }

        (Pending, _writing) = (_writing, Pending);
        (_pendingWritten, _writingWritten) = (_writingWritten, _pendingWritten);
        frames = _writing.Memory;
        return true;
    }

    /// <inheritdoc cref="FrameBuffer.TakeAlike"/>
    public ReadOnlyMemory<byte> TakeAlike(ref ReadOnlyMemory<byte> rest, out Delivery delivery) => _writing.TakeAlike(ref rest, out delivery);

    /// <summary>Completes when every frame that was appended before this call is written.</summary>
    public Task WaitWrittenAsync()
    {
        if (Pending.Length > 0)
            return _pendingWritten.WaitAsync();
        return _writing.Length > 0 ? _writingWritten.WaitAsync() : Task.CompletedTask;
    }

    /// <summary>Releases all frames except the frames of a running write, which <see cref="FreeWriting"/> releases.</summary>
    /// <returns>The number of frames that were not written, or whose write had not ended.</returns>
    public int Close(bool isWriting)
    {
        var lost = Pending.Frames + _writing.UnwrittenFrames;
        Pending.Free();
        if (!isWriting)
            _writing.Free();
        else
            _writing.Uncharge();
        _pendingWritten.Open();
        _writingWritten.Open();
        return lost;
    }

    /// <summary>Releases the frames of a write that has ended.</summary>
    public void FreeWriting() => _writing.Free();
}
