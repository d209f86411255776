using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

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
