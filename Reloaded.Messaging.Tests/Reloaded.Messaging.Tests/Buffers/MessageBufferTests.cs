using Reloaded.Messaging.Tests.Packing;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

public sealed class MessageBufferTests
{
    private readonly MessageBuffer _buffer = new(home: null);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(256)]
    [InlineData(257)]
    [InlineData(4096)]
    [InlineData(4097)]
    [InlineData(100_000)]
    public void It_hands_out_at_least_what_is_asked_for_and_never_nothing(int hint)
    {
        _buffer.Write([1, 2, 3]);

        Assert.InRange(_buffer.GetSpan(hint).Length, Math.Max(hint, 1), int.MaxValue);
        Assert.InRange(_buffer.GetMemory(hint).Length, Math.Max(hint, 1), int.MaxValue);
        Assert.Equal([1, 2, 3], _buffer.Written.ToArray());
    }

    [Fact]
    public void A_full_buffer_still_hands_out_room_for_no_hint()
    {
        _buffer.Advance(_buffer.GetSpan().Length);

        Assert.False(_buffer.GetSpan().IsEmpty);
    }

    [Fact]
    public void It_keeps_what_was_written_while_it_grows()
    {
        var bytes = PackingContracts.Random(300_000, seed: 2);

        for (var i = 0; i < bytes.Length; i += 1000)
            _buffer.Write(bytes.AsSpan(i, 1000));

        Assert.Equal(bytes, _buffer.Written.ToArray());
    }

    [Fact]
    public void Advancing_further_than_was_handed_out_throws_and_changes_nothing()
    {
        var room = _buffer.GetSpan().Length;

        Assert.Contains($"0 to {room}", Assert.Throws<ArgumentOutOfRangeException>(() => _buffer.Advance(room + 1)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => _buffer.Advance(-1));
        Assert.Equal(0, _buffer.Length);
    }

    [Fact]
    public void A_negative_hint_throws()
    {
        Assert.Equal("sizeHint", Assert.Throws<ArgumentOutOfRangeException>(() => _buffer.GetMemory(-1)).ParamName);
        Assert.Equal("sizeHint", Assert.Throws<ArgumentOutOfRangeException>(() => _buffer.GetSpan(int.MinValue)).ParamName);
    }

    [Fact]
    public void A_serializer_that_writes_without_end_is_stopped()
    {
        _buffer.Restart(limit: 1000);

        var exception = Assert.Throws<MessageTooLargeException>(() =>
        {
            while (_buffer.Length < 1 << 20)
                _buffer.Write(new byte[100]);
        });

        Assert.Equal(1000, exception.Limit);
        Assert.InRange(exception.Size, 1001, 4096);
    }

    [Fact]
    public void Cleaning_zeroes_a_secret()
    {
        var array = FillWithSecret(200);

        _buffer.Clean();

        Assert.Equal(new byte[array.Length], array);
        Assert.False(_buffer.IsSecret || _buffer.NeedsCleanup);
    }

    [Fact]
    public void Growing_zeroes_the_arrays_that_a_secret_leaves()
    {
        var first = FillWithSecret(200);
        _buffer.Write(PackingContracts.Filled(2000, 0x5E));
        var second = PackingContracts.ArrayOf(_buffer.WrittenMemory);
        _buffer.Write(PackingContracts.Filled(20_000, 0x5E));
        var third = PackingContracts.ArrayOf(_buffer.WrittenMemory);
        Assert.DoesNotContain((byte)0x5E, first);
        Assert.DoesNotContain((byte)0x5E, second);

        _buffer.Clean();

        Assert.DoesNotContain((byte)0x5E, third);
    }

    [Fact]
    public void Cleaning_poisons_what_is_no_secret_and_keeps_the_small_array()
    {
        _buffer.Write(PackingContracts.Filled(200, 0x11));
        var array = PackingContracts.ArrayOf(_buffer.WrittenMemory);
        _buffer.Write(new byte[100_000]);

        _buffer.Clean();

        Assert.Equal(MessageBuffer.InitialCapacity, _buffer.Capacity);
        Assert.Equal(0, _buffer.Length);
        _buffer.Write([1]);
        Assert.Same(array, PackingContracts.ArrayOf(_buffer.WrittenMemory));
        _buffer.Clean();
        Assert.Equal(PackingContracts.Filled(array.Length, MessagePool.Poison), array);
    }

    private byte[] FillWithSecret(int size)
    {
        _buffer.MarkSecret();
        _buffer.Write(PackingContracts.Filled(size, 0x5E));
        return PackingContracts.ArrayOf(_buffer.WrittenMemory);
    }
}
