using System.IO;
using Xunit;

#pragma warning disable CA1835, CA2022 // every overload is under test, and how much one call reads

namespace Reloaded.Messaging.Tests.Packing;

public sealed class PackedMessageStreamTests : IDisposable
{
    private readonly PackedMessage _packed = new MessageWriter().Pack(PackingContracts.Bytes, new byte[] { 10, 11, 12, 13 });
    private readonly Stream _stream;

    public PackedMessageStreamTests() => _stream = _packed.AsStream();

    [Fact]
    public void It_reads_header_and_payload_and_then_nothing()
    {
        var buffer = new byte[8];

        Assert.Equal(5, _stream.Length);
        Assert.Equal(3, _stream.Read(buffer, 2, 3));
        Assert.Equal([0, 0, 4, 10, 11, 0, 0, 0], buffer);
        Assert.Equal(3, _stream.Position);
        Assert.Equal(2, _stream.Read(buffer.AsSpan()));
        Assert.Equal(0, _stream.Read(buffer.AsSpan()));
        Assert.Equal(-1, _stream.ReadByte());
    }

    [Theory]
    [InlineData(2, SeekOrigin.Begin, 11)]
    [InlineData(1, SeekOrigin.Current, 11)]
    [InlineData(-1, SeekOrigin.End, 13)]
    [InlineData(100, SeekOrigin.Begin, -1)]
    public void It_seeks(long offset, SeekOrigin origin, int expected)
    {
        _stream.ReadByte();

        var position = _stream.Seek(offset, origin);

        Assert.Equal(_stream.Position, position);
        Assert.Equal(expected, _stream.ReadByte());
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1L << 31)]
    public void A_position_outside_of_any_message_is_refused(long position)
    {
        Assert.Contains(position.ToString(System.Globalization.CultureInfo.InvariantCulture), Assert.Throws<ArgumentOutOfRangeException>(() => _stream.Position = position).Message);
        Assert.Equal(0, _stream.Position);
    }

    [Fact]
    public async Task It_reads_asynchronously()
    {
        var buffer = new byte[8];

        Assert.Equal(5, await _stream.ReadAsync(buffer.AsMemory()));
        Assert.Equal([4, 10, 11, 12, 13, 0, 0, 0], buffer);
        _stream.Position = 4;
        Assert.Equal(1, await _stream.ReadAsync(buffer, 0, 8, CancellationToken.None));
        Assert.Equal(13, buffer[0]);
    }

    [Fact]
    public async Task A_cancelled_read_takes_nothing()
    {
        var cancelled = new CancellationToken(canceled: true);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _stream.ReadAsync(new byte[4], 0, 4, cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _stream.ReadAsync(new byte[4].AsMemory(), cancelled));

        Assert.Equal(0, _stream.Position);
    }

    [Fact]
    public void Nothing_can_be_written()
    {
        Assert.False(_stream.CanWrite);
        Assert.Throws<NotSupportedException>(() => _stream.Write(new byte[1], 0, 1));
        Assert.Throws<NotSupportedException>(() => _stream.WriteByte(1));
        Assert.Throws<NotSupportedException>(() => _stream.SetLength(1));
        _stream.Flush();
        Assert.Equal(4, _packed.Span[0]);
    }

    [Fact]
    public void Disposing_the_stream_leaves_the_message_alone()
    {
        Assert.True(_stream.CanRead && _stream.CanSeek);

        _stream.Dispose();

        Assert.False(_stream.CanRead || _stream.CanSeek);
        Assert.Throws<ObjectDisposedException>(() => _stream.ReadByte());
        Assert.False(_packed.IsReleased);
        Assert.Equal(5, _packed.Length);
    }

    public void Dispose()
    {
        _stream.Dispose();
        _packed.Dispose();
    }
}
