using System;
using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Messages one after the other, each behind its length: ready for a stream or a datagram in one write.</summary>
/// <remarks>
/// Filled by <see cref="MessageWriter.Append{T}(MessageBatch, MessageContract{T}, in T)"/>, read by <c>foreach</c>. Belongs to one thread at a
/// time. Keep it and <see cref="Clear"/> it: its buffer grows to what is used and shrinks when that stays less.
/// </remarks>
public sealed class MessageBatch : IDisposable
{
    private const int PrefixGuess = 2; // right for messages of 128 bytes to 16 KiB; others move by the difference once

    private readonly int _maxSize;
    private readonly ReusableBuffer _reused = new();
    private int _packedElsewhere;
    private bool _disposed;

    /// <summary>Makes an empty batch.</summary>
    /// <param name="maxSize">The most it takes, lengths included, in bytes; 4 MiB by default.</param>
    public MessageBatch(int maxSize = 4 << 20)
    {
        _maxSize = Guard.Between(2, MessageLimits.LargestArray, maxSize, nameof(maxSize));
        Buffer = _reused.Buffer;
        SetFrameEnd();
    }

    /// <summary>The messages in it.</summary>
    public int Count { get; internal set; }

    /// <summary>The bytes in it, lengths included.</summary>
    public int Length => Live().Length;

    /// <summary>The most bytes it takes.</summary>
    public int MaxSize => _maxSize;

    /// <summary>All frames. Valid until the next append, clear or dispose.</summary>
    public ReadOnlySpan<byte> Span => Live().Written;

    /// <inheritdoc cref="Span"/>
    public ReadOnlyMemory<byte> Memory => Live().WrittenMemory;

    /// <summary>Its bytes. Once it is disposed there is no room left in them, so that every append ends up in a check.</summary>
    internal MessageBuffer Buffer { get; }

    /// <summary>Empties it for the next messages. The meter counts the messages here, all at once.</summary>
    public void Clear()
    {
        _ = Live();
        MessagingMetrics.CountPacked(Count - _packedElsewhere);
        _reused.Clear();
        Count = _packedElsewhere = 0;
        SetFrameEnd();
    }

    /// <summary>Gives the buffer back. Appending or reading afterwards throws <see cref="ObjectDisposedException"/>.</summary>
    public void Dispose()
    {
        if (_disposed)
            return;

        MessagingMetrics.CountPacked(Count - _packedElsewhere);
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
                Throw.MessageTooLarge(null, size, MaxSize, "the batch's");
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

    /// <summary>Reads the messages back, without their lengths.</summary>
    public Enumerator GetEnumerator() => new(Span);

    [DoesNotReturn]
    internal void ThrowFull() =>
        throw new InvalidOperationException(
            $"The batch holds {Length} bytes of {MaxSize} and the message doesn't fit. Send and Clear it, then append again; or make it with a larger maximum.");

    internal bool TryAppend<T>(MessageContract<T> contract, in T value, MessageLimits limits)
    {
        var buffer = Live();
        var start = buffer.Length;
        try
        {
            buffer.Take(PrefixGuess);
            buffer.LimitFrom(buffer.Length, limits.MaxMessageSize);
            MessageAssembler.Append(ThreadCache.Current, buffer, contract, in value, contract.EventHeader, limits);
        }
        catch (MessageTooLargeException e) when (e.IsUnnamed)
        {
            buffer.Truncate(start);
            throw e.Of(typeof(T));
        }
        catch
        {
            buffer.Truncate(start);
            throw;
        }
        finally
        {
            buffer.LimitFrom(0, int.MaxValue); // it was this message's: neither its length nor what follows is measured by it
            SetFrameEnd(); // the array may be another one now
        }

        var size = buffer.Length - start - PrefixGuess;
        var prefix = UVarint.SizeOf((uint)size);
        if (start + (long)prefix + size > MaxSize)
        {
            buffer.Truncate(start);
            if (start == 0)
                Throw.MessageTooLarge(typeof(T), prefix + size, MaxSize, "the batch's");
            return false;
        }

        if (prefix > PrefixGuess)
            buffer.Take(prefix - PrefixGuess);
        var frame = buffer.From(start);
        frame.Slice(PrefixGuess, size).CopyTo(frame.Slice(prefix));
        UVarint.Write(frame, (uint)size);
        buffer.Truncate(start + prefix + size);
        Count++;
        SetFrameEnd();
        return true;
    }

    private MessageBuffer Live()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        return Buffer;
    }

    private void SetFrameEnd() => Buffer.FrameEnd = Math.Min(Buffer.Capacity, _maxSize);

    /// <summary>Goes through the messages of a batch.</summary>
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
