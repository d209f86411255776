using System;
using System.Buffers;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Reloaded.Messaging;

/// <summary>A message ready to send, header and payload, in a recyclable buffer. Whoever holds it last disposes it.</summary>
/// <remarks>
/// A handle of two words: copies are the same message. Any number may be live at once; they nest, survive <c>await</c> and may be read and
/// released on any thread, where one thread at a time uses a message.
/// <para>
/// A second release does nothing but count (<see cref="PoolStatistics.SecondReleases"/>). Every use after release throws
/// <see cref="ObjectDisposedException"/>, in release builds too. Spans and memory taken before the release are not protected: they show
/// whatever the buffer holds next.
/// </para>
/// </remarks>
public readonly struct PackedMessage : IDisposable, IEquatable<PackedMessage>
{
    private readonly MessageBuffer? _buffer;
    private readonly long _generation;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PackedMessage(MessageBuffer buffer, long generation)
    {
        _buffer = buffer;
        _generation = generation;
    }

    internal PackedMessage(MessageBuffer buffer)
        : this(buffer, buffer.Generation)
    {
    }

    /// <summary>The message's bytes. Valid until the release.</summary>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public ReadOnlySpan<byte> Span
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Live().Written;
    }

    /// <inheritdoc cref="Span"/>
    public ReadOnlyMemory<byte> Memory => Live().WrittenMemory;

    /// <summary>The message's size in bytes.</summary>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public int Length => Live().Length;

    /// <summary>Whether the message was released, or is the default value.</summary>
    public bool IsReleased => _buffer is null || _buffer.Generation != _generation;

    /// <summary>Whether two handles are the same message.</summary>
    public static bool operator ==(PackedMessage left, PackedMessage right) => left.Equals(right);

    /// <summary>Whether two handles are different messages.</summary>
    public static bool operator !=(PackedMessage left, PackedMessage right) => !left.Equals(right);

    /// <summary>Copies the message's bytes.</summary>
    /// <exception cref="ArgumentException">The destination is too short.</exception>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public void CopyTo(Span<byte> destination) => Span.CopyTo(destination);

    /// <summary>Copies the message's bytes, without a length in front.</summary>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public void CopyTo(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        destination.Write(Span);
    }

    /// <summary>A read-only, seekable stream over the message, which reads nothing once the message is released. Allocates the stream.</summary>
    /// <remarks>Disposing the stream leaves the message alone.</remarks>
    /// <exception cref="ObjectDisposedException">The message was released, or is the default value.</exception>
    public Stream AsStream()
    {
        Live();
        return new PackedMessageStream(this);
    }

    /// <summary>Gives the buffer back. Any thread; a second call does nothing but count.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        var buffer = _buffer;
        if (buffer is null)
            return;

        // FastReturnOwner before Generation: whoever releases a buffer that needs care ends the generation first and sets the home after it,
        // so a home that is back comes with a generation that is over.
        var cache = ThreadCache.Current;
        if (Volatile.Read(ref buffer.FastReturnOwner) != cache || buffer.Generation != _generation)
        {
            ReleaseWithCare(buffer, _generation, cache);
            return;
        }

        buffer.Generation = _generation + MessageBuffer.FreeGeneration;
        cache.ReturnClean(buffer);
    }

    /// <inheritdoc/>
    public bool Equals(PackedMessage other) => _buffer == other._buffer && _generation == other._generation;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PackedMessage other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_buffer, _generation);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private MessageBuffer Live()
    {
        var buffer = _buffer;
        if (buffer is null || buffer.Generation != _generation)
            Throw.Released();
        return buffer;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ReleaseWithCare(MessageBuffer buffer, long generation, ThreadCache cache) // static: the handle stays in registers
    {
        // Halfway to the next generation: no handle is valid, and one thread alone has it to return, and to clean if it needs that, in
        // which case the home thread is this careful too. Otherwise a release there at the same time goes the whole way, and the return
        // from here then counts for nothing; so what the buffer needs is read before the exchange, while it surely is this message's.
        var needsCare = buffer.NeedsCleanup;
        var ended = generation + MessageBuffer.EndedGeneration;
        if (Interlocked.CompareExchange(ref buffer.Generation, ended, generation) != generation)
        {
            MessagePool.CountSecondRelease();
            return;
        }

        if (needsCare)
            buffer.Clean(); // at once, wherever this is: a secret is zeroed, a large array handed back

        if (buffer.Owner == cache)
        {
            buffer.Generation = generation + MessageBuffer.FreeGeneration;
            cache.TakeBack(buffer);
        }
        else
        {
            buffer.Owner!.ReturnFromElsewhere(buffer, ended);
        }
    }
}
