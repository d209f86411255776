namespace Reloaded.Messaging.Hosting;

/// <summary>The frames that wait and the frames that are being written. Not thread-safe.</summary>
/// <remarks>
/// Small frames share one buffer. A large message has a separate buffer, into which it was copied before the lock of the outbox was taken. The lock protects
/// all members. The thread that writes owns the frames of a running write, from <see cref="TryTake"/> to the next
/// <see cref="TryTake"/> or <see cref="FreeWriting"/>.
/// </remarks>
internal sealed class FrameQueue(PendingTotal? total)
{
    /// <summary>The size from which a message has a separate buffer, in bytes.</summary>
    public const int LargeMessage = 64 * 1024;

    private readonly Queue<FrameBuffer> _earlier = []; // before the frames of Pending
    private FrameBuffer _writing = new(total);
    private FrameBuffer _lastEarlier = null!; // valid while _earlier is not empty
    private FrameBuffer? _spare;
    private int _earlierCharged;

    /// <summary>The newest frames that wait, to which further frames are appended.</summary>
    public FrameBuffer Pending { get; private set; } = new(total);

    /// <summary>The bytes that wait before those of <see cref="Pending"/>.</summary>
    public int EarlierLength { get; private set; }

    /// <summary>The bytes that wait.</summary>
    public int PendingLength => EarlierLength + Pending.Length;

    /// <summary>The bytes that wait, and the bytes that are being written.</summary>
    public int Length => PendingLength + _writing.Length;

    /// <summary>The bytes of all buffers that count towards the total.</summary>
    public int Charged => _earlierCharged + Pending.Charged + _writing.Charged;

    /// <inheritdoc cref="FrameBuffer.FirstLength"/>
    public int FirstLength => (_earlier.Count > 0 ? _earlier.Peek() : Pending).FirstLength;

    /// <summary>Appends the buffer of a large message.</summary>
    public void Append(FrameBuffer large)
    {
        Divide();
        AddEarlier(large);
    }

    private void Divide()
    {
        if (Pending.Length == 0)
            return;
        AddEarlier(Pending);
        Pending = _spare ?? new FrameBuffer(total);
        _spare = null;
    }

    /// <summary>Ends the write of the frames that were taken before, and takes the frames that wait.</summary>
    /// <returns><c>false</c> if no frame waits.</returns>
    public bool TryTake(out ReadOnlyMemory<byte> frames)
    {
        var hasEarlier = _earlier.TryDequeue(out var next);
        // While many bytes wait, the next write will be as large. Returning the array would make it grow again from its smallest size. A spare buffer may not be used for long.
        _writing.Clear(keepsLarge: !hasEarlier && Pending.IsLarge && total is not { IsAmple: false });
        frames = default;
        if (hasEarlier)
        {
            EarlierLength -= next!.Length;
            _earlierCharged -= next.Charged;
            if (_spare is null)
                _spare = _writing;
            else
                _writing.Free();
            _writing = next;
        }
        else if (Pending.Length == 0)
        {
            Pending.Clear(keepsLarge: false);
            return false;
        }
        else
        {
            (Pending, _writing) = (_writing, Pending);
        }

        frames = _writing.Memory;
        return true;
    }

    /// <summary>Completes when every frame that was appended before this call is written.</summary>
    public Task WaitWrittenAsync()
    {
        if (Pending.Length > 0)
            return Pending.WaitWrittenAsync();
        if (_earlier.Count > 0)
            return _lastEarlier.WaitWrittenAsync();
        return _writing.Length > 0 ? _writing.WaitWrittenAsync() : Task.CompletedTask;
    }

    /// <summary>Releases all frames except the frames of a running write, which <see cref="FreeWriting"/> releases.</summary>
    /// <returns>The number of frames that were not written, or whose write had not ended.</returns>
    public int Close(bool isWriting)
    {
        var lost = Pending.Frames + _writing.Frames;
        while (_earlier.TryDequeue(out var earlier))
        {
            lost += earlier.Frames;
            earlier.Free();
        }

        (EarlierLength, _earlierCharged) = (0, 0);
        Pending.Free();
        _spare?.Free();
        _spare = null;
        if (isWriting)
            _writing.GiveUp();
        else
            _writing.Free();
        return lost;
    }

    /// <summary>Releases the frames of a write that has ended.</summary>
    public void FreeWriting() => _writing.Free();

    private void AddEarlier(FrameBuffer buffer)
    {
        _earlier.Enqueue(buffer);
        _lastEarlier = buffer;
        EarlierLength += buffer.Length;
        _earlierCharged += buffer.Charged;
    }
}
