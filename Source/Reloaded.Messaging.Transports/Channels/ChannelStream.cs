using System.IO;

namespace Reloaded.Messaging;

/// <summary>Adapts a channel to the stream that <see cref="System.Net.Security.SslStream"/> and <see cref="System.Net.WebSockets.WebSocket"/> require. Supports only asynchronous calls. Disposing it aborts the channel.</summary>
/// <param name="channel">The channel.</param>
/// <param name="first">Bytes that were received before. Reads return them first.</param>
internal sealed class ChannelStream(TransportChannel channel, ReadOnlyMemory<byte> first = default) : Stream
{
    private ReadOnlyMemory<byte> _first = first;

    /// <summary>Whether a read has returned bytes.</summary>
    public bool HasReceived { get; private set; }

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_first.IsEmpty)
            return HasReceived ? channel.ReceiveAsync(buffer, cancellationToken) : ReadFirstAsync(buffer, cancellationToken);
        HasReceived = true;
        var taken = Math.Min(_first.Length, buffer.Length);
        _first.Slice(0, taken).CopyTo(buffer);
        _first = _first.Slice(taken);
        return new ValueTask<int>(taken);
    }

    private async ValueTask<int> ReadFirstAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        var received = await channel.ReceiveAsync(buffer, cancellationToken).ConfigureAwait(false);
        HasReceived |= received > 0;
        return received;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => channel.SendAsync(buffer, cancellationToken);

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask; // channels do not buffer sent bytes

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("A channel does not support synchronous reads. Call ReadAsync.");

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("A channel does not support synchronous writes. Call WriteAsync.");

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        channel.Abort();
        base.Dispose(disposing);
    }
}
