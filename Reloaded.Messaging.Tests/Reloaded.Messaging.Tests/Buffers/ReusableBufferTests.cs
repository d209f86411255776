using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

public sealed class ReusableBufferTests : IDisposable
{
    private readonly ReusableBuffer _buffer = new();

    public void Dispose() => _buffer.Dispose();

    [Fact]
    public void Truncate_removes_what_was_written_after_the_position()
    {
        _buffer.Buffer.Write([1, 2, 3, 4]);

        _buffer.Truncate(2);

        Assert.Equal([1, 2], _buffer.Written.ToArray());
        Assert.Equal(2, _buffer.Length);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(5)]
    public void Truncate_outside_of_the_buffer_throws(int length)
    {
        _buffer.Buffer.Write([1, 2, 3, 4]);

        var thrown = Assert.Throws<ArgumentOutOfRangeException>(() => _buffer.Truncate(length));

        Assert.Contains("4 bytes", thrown.Message, StringComparison.Ordinal);
        Assert.Equal(4, _buffer.Length);
    }

    [Fact]
    public void Clear_empties_the_buffer_and_keeps_it_usable()
    {
        _buffer.Buffer.Write(new byte[100_000]);
        _buffer.Clear();

        _buffer.Buffer.Write([7]);

        Assert.Equal([7], _buffer.Written.ToArray());
    }

    [Fact]
    public void Clear_returns_a_large_array_after_two_small_fillings()
    {
        _buffer.Buffer.Write(new byte[1 << 20]);
        _buffer.Clear();

        for (var i = 0; i < 2; i++)
        {
            _buffer.Buffer.Write([1]);
            _buffer.Clear();
        }

        Assert.InRange(_buffer.Buffer.Capacity, 1, MessageBuffer.MaxRetained);
    }

    /// <summary>The tests overwrite the array of each cleared buffer, so a cleared buffer does not show this rule.</summary>
    [Theory]
    [InlineData(65_536, 16_383, 16_383, true)]
    [InlineData(65_536, 16_384, 16_383, false)]
    [InlineData(65_536, 16_383, 16_384, false)]
    [InlineData(MessageBuffer.MaxRetained, 0, 0, false)]
    [InlineData(MessageBuffer.MaxRetained + 4, 0, 0, true)]
    public void Array_is_oversized_if_two_fillings_used_less_than_a_quarter(int capacity, int used, int usedBefore, bool isOversized) =>
        Assert.Equal(isOversized, ReusableBuffer.IsOversized(capacity, used, usedBefore));
}
