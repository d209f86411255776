using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Consecutive messages, each after its length, ready for one write to a stream or a datagram.</summary>
/// <remarks>
/// Filled by <see cref="MessageWriter.Append{T}(MessageBatch, MessageContract{T}, in T)"/> and read by <c>foreach</c>. Used by one thread at a
/// time. Keep one instance and <see cref="Clear"/> it: its buffer grows to the used size, and shrinks when less is used for a while.
/// </remarks>
public sealed class MessageBatch : IDisposable
{
    /// <summary>The end of the frames while a message is serialized, so that no call but that one appends.</summary>
    private const int IsAppending = -1;

    private readonly int _maxSize;
    private readonly ReusableBuffer _reused = new();
    private int _packedElsewhere;
    private int _prefixGuess = 1; // the size of the previous length; if it differs, the message is moved
    private bool _disposed;

    /// <summary>Creates an empty batch.</summary>
    /// <param name="maxSize">The maximum size, lengths included, in bytes (default: 4 MiB).</param>
    public MessageBatch(int maxSize = 4 << 20)
    {
        _maxSize = Guard.Between(2, MessageLimits.LargestArray, maxSize, nameof(maxSize));
        Buffer = _reused.Buffer;
        SetFrameEnd();
    }

    /// <summary>The number of messages.</summary>
    public int Count { get; internal set; }

    /// <summary>The size in bytes, lengths included.</summary>
    public int Length => Live().Length;

    /// <summary>The maximum size, in bytes.</summary>
    public int MaxSize => _maxSize;

    /// <summary>All frames. Valid until the next append, clear or dispose.</summary>
    public ReadOnlySpan<byte> Span => Live().Written;

    /// <inheritdoc cref="Span"/>
    public ReadOnlyMemory<byte> Memory => Live().WrittenMemory;

    /// <summary>The buffer. After the disposal it has no room left, so that every append ends in a check.</summary>
    internal readonly MessageBuffer Buffer;

    /// <summary>Removes all messages. The meter counts them here, all at once.</summary>
    public void Clear()
    {
        _ = Live();
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(Count - _packedElsewhere);
        _reused.Clear();
        Count = _packedElsewhere = 0;
        SetFrameEnd();
    }

    /// <summary>Returns the buffer. Any later use throws an <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;

        _ = Live();
        if (OnDemandCounters.IsOn)
            OnDemandCounters.AddPacked(Count - _packedElsewhere);
        _reused.Dispose();
        Buffer.FrameEnd = 0;
        _disposed = true;
    }

    /// <summary>Appends a message that is packed already, after its length, if the message still fits.</summary>
    /// <param name="message">The message: header and payload. Copied.</param>
    /// <param name="isSecret">Whether to zero the batch's bytes when the batch is cleared or disposed (default: <see langword="false"/>).</param>
    /// <returns><see langword="false"/> if the batch is full; nothing was appended. Send it, clear it and try again.</returns>
    /// <exception cref="ArgumentException">Thrown when <paramref name="message"/> is empty.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the batch is empty and the message still does not fit.</exception>
    public bool TryAppend(ReadOnlySpan<byte> message, bool isSecret = false)
    {
        var buffer = Live();
        if (message.IsEmpty)
            throw new ArgumentException("The message is empty; a message has a header of 1 byte at least.", nameof(message));

        var size = UVarint.SizeOf((uint)message.Length) + (long)message.Length;
        if (buffer.Length + size > MaxSize)
        {
            if (buffer.Length == 0)
                Throw.MessageTooLarge(null, size, MaxSize, "of a batch");
            return false;
        }

        if (isSecret)
            buffer.MarkSecret();
        var frame = buffer.GetSpan((int)size);
        message.CopyTo(frame.Slice(UVarint.Write(frame, (uint)message.Length)));
        buffer.Advance((int)size);
        Count++;
        _packedElsewhere++;
        SetFrameEnd();
        return true;
    }

    /// <summary>Enumerates the messages, without their lengths.</summary>
    public Enumerator GetEnumerator() => new(Span);

    [DoesNotReturn]
    internal void ThrowFull() =>
        throw new InvalidOperationException(
            $"The batch holds {Length} of {MaxSize} bytes, and the message does not fit. Send and Clear the batch and append again, or create it with a larger maximum size.");

    /// <summary>Appends frames of one byte of length, one byte of header and a struct, as many as fit without growing.</summary>
    internal int AppendFrames<T>(ushort prefix, ReadOnlySpan<T> values)
    {
        var buffer = Live();
        var size = sizeof(ushort) + Unsafe.SizeOf<T>();
        var count = Math.Min(values.Length, (buffer.FrameEnd - buffer.Length) / size);
        if (count <= 0)
            return 0;

        ref var frame = ref buffer.Take(count * size);
        foreach (ref readonly var value in values.Slice(0, count))
        {
            Unsafe.WriteUnaligned(ref frame, prefix);
            Unsafe.WriteUnaligned(ref Unsafe.Add(ref frame, sizeof(ushort)), value);
            frame = ref Unsafe.Add(ref frame, size);
        }

        Count += count;
        return count;
    }

    internal bool TryAppend<T>(MessageContract<T> contract, in T value, MessageLimits limits)
    {
        var buffer = Live();
        var start = buffer.Length;
        var guess = _prefixGuess;
        try
        {
            buffer.FrameEnd = IsAppending;
            buffer.Take(guess);
            buffer.LimitFrom(start + guess, limits.MaxMessageSize);
            MessageAssembler.Append(buffer, contract, in value, in contract.EventHeader, limits);
        }
        catch (Exception e)
        {
            EndAppend(start);
            if (e is MessageTooLargeException { IsUnnamed: true } unnamed)
                throw MessageAssembler.Name(unnamed, contract, limits);
            throw;
        }

        var size = buffer.Length - start - guess;
        var prefix = UVarint.SizeOf((uint)size);
        if (start + (long)prefix + size > MaxSize)
        {
            EndAppend(start);
            if (start == 0)
                Throw.MessageTooLarge(typeof(T), prefix + size, MaxSize, "of a batch");
            return false;
        }

        if (prefix != guess)
            MoveFrame(start, guess, prefix, size);
        if (prefix == 1)
            buffer.From(start)[0] = (byte)size;
        else
            UVarint.Write(buffer.From(start), (uint)size);
        Count++;
        EndAppend(start + prefix + size);
        return true;
    }

    private void MoveFrame(int start, int guess, int prefix, int size)
    {
        if (prefix > guess)
            Buffer.Take(prefix - guess);
        var frame = Buffer.From(start);
        frame.Slice(guess, size).CopyTo(frame.Slice(prefix));
        _prefixGuess = prefix;
    }

    /// <summary>Sets the end of the frames. The limit of the message does not apply to later bytes, and the array may have changed.</summary>
    private void EndAppend(int length)
    {
        Buffer.Truncate(length);
        Buffer.LimitFrom(0, int.MaxValue);
        SetFrameEnd();
    }

    private MessageBuffer Live()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        if (Buffer.FrameEnd == IsAppending)
            throw new InvalidOperationException("A message is being appended. Use another batch in its serializer, its members and other threads.");
        return Buffer;
    }

    private void SetFrameEnd() => Buffer.FrameEnd = Math.Min(Buffer.Capacity, _maxSize);

    /// <summary>Enumerates the messages of a batch.</summary>
    public ref struct Enumerator
    {
        private ReadOnlySpan<byte> _rest;
        private ReadOnlySpan<byte> _current;

        internal Enumerator(ReadOnlySpan<byte> frames)
        {
            _rest = frames;
            _current = default;
        }

        /// <summary>The message: header and payload.</summary>
        public readonly ReadOnlySpan<byte> Current => _current;

        /// <summary>Moves to the next message.</summary>
        public bool MoveNext() => Frame.TryRead(ref _rest, int.MaxValue, out _current) == FrameStatus.Ok;
    }
}
