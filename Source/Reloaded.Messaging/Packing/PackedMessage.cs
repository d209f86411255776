using System.Buffers;
using System.IO;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>A packed message, header and payload, in a reusable buffer. The last holder disposes it.</summary>
/// <remarks>
/// A handle of two words; copies refer to the same message. Any number of messages may exist at the same time. They nest, survive <c>await</c>, and may be
/// read and released on any thread, if one thread at a time uses a message.
/// <para>
/// A second release has no effect and is counted (<see cref="PoolStatistics.SecondReleases"/>). Every use after the release throws an
/// <see cref="ObjectDisposedException"/>, in release builds too. Spans and memory that were taken before the release are not protected: they show
/// the next contents of the buffer.
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

    /// <summary>The bytes of the message. Valid until the release.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public ReadOnlySpan<byte> Span
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Live().Written;
    }

    /// <inheritdoc cref="Span"/>
    public ReadOnlyMemory<byte> Memory => Live().WrittenMemory;

    /// <summary>The size of the message, in bytes.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public int Length => Live().Length;

    /// <summary>Whether the bytes of the message are zeroed at its release: it was packed by a secret contract, or with <c>isSecret</c>.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public bool IsSecret => Live().IsSecret;

    /// <summary>Whether the message was released, or is the default value.</summary>
    public bool IsReleased => _buffer is null || _buffer.Generation != _generation;

    /// <summary>Returns whether two handles refer to the same message.</summary>
    public static bool operator ==(PackedMessage left, PackedMessage right) => left.Equals(right);

    /// <summary>Returns whether two handles refer to different messages.</summary>
    public static bool operator !=(PackedMessage left, PackedMessage right) => !left.Equals(right);

    /// <summary>Copies the bytes of the message.</summary>
    /// <exception cref="ArgumentException">Thrown when the destination is too short.</exception>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public void CopyTo(Span<byte> destination) => Span.CopyTo(destination);

    /// <summary>Copies the bytes of the message, without a length.</summary>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public void CopyTo(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        destination.Write(Span);
    }

    /// <summary>Creates a read-only, seekable stream over the message. Its reads throw once the message is released. Allocates the stream.</summary>
    /// <remarks>Disposing the stream does not release the message.</remarks>
    /// <exception cref="ObjectDisposedException">Thrown when the message was released, or is the default value.</exception>
    public Stream AsStream()
    {
        Live();
        return new PackedMessageStream(this);
    }

    /// <summary>Releases the message and returns its buffer. Thread-safe; a second call has no effect and is counted.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        var buffer = _buffer;
        if (buffer is null)
            return;

        // FastReturnOwner before Generation: a release of a buffer that needs cleanup ends the generation first and sets the owner afterwards,
        // so an owner that is set again comes with a generation that has ended.
        var cache = ThreadCache.Current;
        if (Volatile.Read(ref buffer.FastReturnOwner) != cache || buffer.Generation != _generation)
        {
            ReleaseWithCleanup(buffer, _generation, cache);
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
    private static void ReleaseWithCleanup(MessageBuffer buffer, long generation, ThreadCache cache) // static: the handle stays in registers
    {
        // Halfway to the next generation, no handle is valid, and one thread alone returns the buffer and cleans it if needed; in that case, the
        // owner thread takes this path too. Otherwise, a release on the owner thread at the same time completes on its own, and the return
        // from here has no effect. Therefore the cleanup is determined before the exchange, while the buffer certainly holds this message.
        var needsCare = buffer.NeedsCleanup;
        var ended = generation + MessageBuffer.EndedGeneration;
        if (Interlocked.CompareExchange(ref buffer.Generation, ended, generation) != generation)
        {
            MessagePool.CountSecondRelease();
            return;
        }

        if (needsCare)
            buffer.Clean(); // at once, on any thread: a secret is zeroed, a large array is returned

        if (buffer.Owner == cache)
        {
            buffer.Generation = generation + MessageBuffer.FreeGeneration;
            cache.TakeBack(buffer);
        }
        else
        {
            cache.Elsewhere.Add(buffer, ended);
        }
    }
}

/// <summary>A packed message as a stream. Each read checks the handle, so that a released message throws instead of showing other bytes.</summary>
internal sealed class PackedMessageStream(PackedMessage message) : Stream
{
    private int _position;
    private bool _disposed;

    public override bool CanRead => !_disposed;

    public override bool CanSeek => !_disposed;

    public override bool CanWrite => false;

    public override long Length => Bytes.Length;

    public override long Position
    {
        get => _position;
        set
        {
            if (value < 0 || value > int.MaxValue)
                Throw.ArgumentOutOfRange(nameof(value), value, "a position is 0 to 2147483647");
            _position = (int)value;
        }
    }

    private ReadOnlySpan<byte> Bytes
    {
        get
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return message.Span;
        }
    }

    public override int Read(Span<byte> buffer)
    {
        var bytes = Bytes;
        if (_position >= bytes.Length)
            return 0;

        var rest = bytes.Slice(_position);
        var count = Math.Min(rest.Length, buffer.Length);
        rest.Slice(0, count).CopyTo(buffer);
        _position += count;
        return count;
    }

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        cancellationToken.IsCancellationRequested ? new(Task.FromCanceled<int>(cancellationToken)) : new(Read(buffer.Span));

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
    {
        SeekOrigin.Begin => offset,
        SeekOrigin.Current => _position + offset,
        _ => Length + offset,
    };

    public override void Flush()
    {
        // Writes are not supported.
    }

    public override void SetLength(long value) => throw ReadOnly();

    public override void Write(byte[] buffer, int offset, int count) => throw ReadOnly();

    protected override void Dispose(bool disposing)
    {
        _disposed = true;
        base.Dispose(disposing);
    }

    private static NotSupportedException ReadOnly() => new("A packed message is read-only. Pack another message.");
}
