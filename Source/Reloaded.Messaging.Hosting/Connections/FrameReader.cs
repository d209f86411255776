using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Assembles the received bytes of a channel into whole messages. Each message is contiguous in memory.</summary>
/// <remarks>
/// The buffer never grows to more than twice the received bytes, whatever length a frame declares. One contiguous buffer is used and not the chain of
/// blocks of a pipe: a handler receives a span, and a message that crosses two reads is copied once.
/// </remarks>
internal sealed class FrameReader(TransportChannel channel) : IDisposable
{
    /// <summary>The size of the first buffer, in bytes. Most peers of a server with many peers send little, and their buffers are most of its memory.</summary>
    private const int InitialCapacity = 1024;

    /// <summary>The size up to which the buffer grows because the received bytes filled it, in bytes. Beyond that, it grows only for a larger message.</summary>
    private const int MaxCapacity = 16 * 1024;

    private const int LargestKept = 256 * 1024;

    private readonly ILendsFrames? _lender = channel as ILendsFrames;
    private ReceiveBuffer _received;
    private Memory<byte> _borrowed;
    private int _borrowedRead;
    private long _receivedBytes;
    private long _receivedAt = Environment.TickCount64;

    /// <summary>The maximum size of a message, in bytes.</summary>
    public int MaxMessageSize = int.MaxValue;

    /// <summary>The maximum size of a control message, in bytes, if it is greater than the maximum of other messages.</summary>
    public int MaxControlSize;

    /// <summary>The number of received bytes. Any thread may read it.</summary>
    public long ReceivedBytes => Volatile.Read(ref _receivedBytes);

    /// <summary>The time at which the last bytes arrived, or at which the reader was created, in <c>Environment.TickCount64</c>. Any thread may read it.</summary>
    public long ReceivedAt => Volatile.Read(ref _receivedAt);

    /// <summary>The received bytes that were not read yet.</summary>
    public ReadOnlySpan<byte> Unread => _lender is not null ? _borrowed.Span.Slice(_borrowedRead) : _received.Unread;

    /// <summary>Receives at least one byte.</summary>
    /// <returns><c>false</c> at the end of the channel; otherwise, <c>true</c>.</returns>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> FillAsync(CancellationToken cancellationToken)
    {
        if (_lender is not null)
        {
            ReturnBorrowed();
            _borrowed = await _lender.ReceiveFramesAsync(cancellationToken).ConfigureAwait(false);
            return NoteReceived(_borrowed.Length);
        }

        MakeRoom();
        var received = await channel.ReceiveAsync(_received.Room, cancellationToken).ConfigureAwait(false);
        _received.Add(received);
        return NoteReceived(received);
    }

    /// <summary>Reads the next message.</summary>
    /// <param name="message">The message. It is valid until the next call of <see cref="FillAsync"/>.</param>
    public FrameStatus TryRead(out ReadOnlySpan<byte> message)
    {
        var rest = Unread;
        var before = rest.Length;
        var status = Frame.TryRead(ref rest, MaxMessageSize, out message);
        if (status == FrameStatus.TooLarge && MaxControlSize > MaxMessageSize)
            status = TryReadControl(ref rest, out message);
        if (_lender is not null)
            _borrowedRead += before - rest.Length;
        else
            _received.Skip(before - rest.Length);
        return status == FrameStatus.Incomplete && _lender is not null && !rest.IsEmpty
            ? FrameStatus.Malformed // the rest of the frame will not arrive
            : status;
    }

    /// <summary>Whether the received bytes can be the start of a frame with a control message. Other programs send other bytes.</summary>
    public bool BeginsControl => MayBeControl(Unread);

    /// <summary>Zeroes the bytes that were read.</summary>
    public void ClearRead() => (_lender is not null ? _borrowed.Span.Slice(0, _borrowedRead) : _received.Read).Clear();

    /// <summary>Zeroes and returns the buffer, so that its contents cannot be read by its next user.</summary>
    public void Dispose()
    {
        ReturnBorrowed();
        _received.Free();
    }

    /// <summary>Reads a frame that exceeds the limit of other messages. Refuses it if its first bytes are not those of a control message.</summary>
    private FrameStatus TryReadControl(scoped ref ReadOnlySpan<byte> source, out ReadOnlySpan<byte> message)
    {
        message = default;
        return MayBeControl(source)
            ? Frame.TryRead(ref source, MaxControlSize, out message)
            : FrameStatus.TooLarge;
    }

    /// <summary>Whether bytes can be the start of a frame with a control message.</summary>
    private static bool MayBeControl(ReadOnlySpan<byte> source)
    {
        ReadOnlySpan<byte> control = [0x7F, (byte)MessageKind.Control];
        UVarint.TryRead(source, out _, out var size);
        var seen = Math.Min(source.Length - size, control.Length);
        return size == 0 || source.Slice(size, seen).SequenceEqual(control.Slice(0, seen));
    }

    private bool NoteReceived(int count)
    {
        if (count == 0)
            return false;
        Volatile.Write(ref _receivedBytes, _receivedBytes + count);
        Volatile.Write(ref _receivedAt, Environment.TickCount64);
        return true;
    }

    private void ReturnBorrowed()
    {
        (_borrowed, _borrowedRead) = (default, 0);
        _lender?.ReturnFrames();
    }

    private void MakeRoom()
    {
        if (_received.Length == 0 && _received.Capacity > LargestKept)
        {
            _received.Free();
            _received.Reserve(MaxCapacity); // such a peer sends much
            return;
        }

        var capacity = _received.Capacity;
        var grows = _received.Room.IsEmpty && (capacity < MaxCapacity || _received.Length == capacity);
        _received.Reserve(grows ? (int)Math.Clamp(2L * capacity, InitialCapacity, Array.MaxLength) : InitialCapacity);
    }
}
