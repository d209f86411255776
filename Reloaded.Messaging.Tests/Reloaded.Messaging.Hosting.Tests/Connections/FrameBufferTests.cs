using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <remarks>Alone: it looks at arrays that went back, which others would rent meanwhile.</remarks>
[Quiet]
public sealed class FrameBufferTests
{
    private static readonly byte[] s_secret = [.. Enumerable.Repeat((byte)0x5E, 1000)];

    private readonly FrameBuffer _buffer = new();

    [Fact]
    public void Messages_follow_each_other_behind_their_lengths()
    {
        _buffer.Append([1, 2], isSecret: false);
        _buffer.Append(new byte[300], isSecret: false);

        Assert.Equal([2, 1, 2, 0xAC, 0x02, 0], _buffer.Memory.Span.Slice(0, 6).ToArray());
        Assert.Equal(3 + 302, _buffer.Length);
        Assert.Equal(2, _buffer.Frames);
    }

    [Fact]
    public void Growing_keeps_what_was_appended()
    {
        for (var i = 0; i < 3000; i++)
            _buffer.Append([(byte)i, 1, 2, 3, 4, 5, 6], isSecret: false);

        for (var i = 0; i < 3000; i++)
            Assert.Equal((byte)i, _buffer.Memory.Span[(i * 8) + 1]);
    }

    [Fact]
    public void Clearing_zeroes_secrets_in_an_array_that_stays()
    {
        _buffer.Append(s_secret, isSecret: true);
        _buffer.Append([1], isSecret: false); // a public one behind it changes nothing
        var array = ArrayOf(_buffer);

        _buffer.Clear(keepsLarge: false);

        Assert.Same(array, ArrayOf(_buffer));
        AssertZeroed(array);
    }

    [Fact]
    public void Growing_zeroes_secrets_in_the_array_that_it_leaves()
    {
        _buffer.Append(s_secret, isSecret: true);
        var left = ArrayOf(_buffer);

        _buffer.Append(new byte[left.Length], isSecret: false);

        Assert.NotSame(left, ArrayOf(_buffer));
        AssertZeroed(left);
    }

    [Fact]
    public void Giving_the_array_back_zeroes_secrets()
    {
        _buffer.Append(s_secret, isSecret: true);
        var array = ArrayOf(_buffer);

        _buffer.Free();

        AssertZeroed(array);
        Assert.Equal(0, _buffer.Length);
    }

    [Fact]
    public void A_large_array_goes_back_when_it_is_cleared_zeroed_if_it_held_secrets()
    {
        _buffer.Append(s_secret, isSecret: true);
        _buffer.Append(new byte[200_000], isSecret: false);
        var large = ArrayOf(_buffer);

        _buffer.Clear(keepsLarge: false);

        Assert.InRange(ArrayOf(_buffer).Length, 1, 64 * 1024);
        AssertZeroed(large);
        _buffer.Append([9], isSecret: false);
        Assert.Equal([1, 9], _buffer.Memory.ToArray());
    }

    [Fact]
    public void Clear_that_keeps_a_large_array_zeroes_its_secrets()
    {
        _buffer.Append(s_secret, isSecret: true);
        _buffer.Append(new byte[200_000], isSecret: false);
        var large = ArrayOf(_buffer);

        _buffer.Clear(keepsLarge: true);

        Assert.Same(large, ArrayOf(_buffer));
        Assert.Equal(0, _buffer.Length);
        AssertZeroed(large);
    }

    // Where the secret was; behind it may be what others left.
    private static void AssertZeroed(byte[] array) => Assert.Equal(-1, array.AsSpan(0, s_secret.Length).IndexOf((byte)0x5E));

    private static byte[] ArrayOf(FrameBuffer buffer) =>
        MemoryMarshal.TryGetArray(buffer.Memory, out var segment) ? segment.Array! : throw new InvalidOperationException("It has no array.");
}
