using System.Buffers;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

public sealed class PackedMessageTests
{
    public static readonly TheoryData<string> Uses = [.. s_uses.Keys];

    private static readonly Position s_position = new(1, 2, 3);
    private readonly MessageWriter _writer = new();

    private static Dictionary<string, Action<PackedMessage>> s_uses => new()
    {
        ["Span"] = packed => _ = packed.Span.Length,
        ["Memory"] = packed => _ = packed.Memory,
        ["Length"] = packed => _ = packed.Length,
        ["CopyTo a span"] = packed => packed.CopyTo(new byte[64].AsSpan()),
        ["CopyTo a buffer writer"] = packed => packed.CopyTo(new ArrayBufferWriter<byte>()),
        ["AsStream"] = packed => packed.AsStream().Dispose(),
    };

    [Theory]
    [MemberData(nameof(Uses))]
    public void Every_use_works_until_the_release_and_throws_after_it(string use)
    {
        var packed = _writer.Pack(PackingContracts.Position, s_position);

        s_uses[use](packed);
        packed.Dispose();

        var exception = Assert.Throws<ObjectDisposedException>(() => s_uses[use](packed));
        Assert.Equal(nameof(PackedMessage), exception.ObjectName);
        Assert.True(packed.IsReleased);
    }

    [Theory]
    [MemberData(nameof(Uses))]
    public void Every_use_throws_after_a_release_on_another_thread(string use)
    {
        var packed = _writer.Pack(PackingContracts.Position, s_position);

        OtherThread.Run(packed.Dispose);

        Assert.Throws<ObjectDisposedException>(() => s_uses[use](packed));
        Assert.True(packed.IsReleased);
    }

    [Theory]
    [MemberData(nameof(Uses))]
    public void Every_use_throws_when_the_buffer_already_holds_the_next_message(string use)
    {
        var packed = _writer.Pack(PackingContracts.Position, s_position);
        var array = PackingContracts.ArrayOf(packed);
        packed.Dispose();

        using var next = _writer.Pack(PackingContracts.Position, s_position);

        Assert.Same(array, PackingContracts.ArrayOf(next));
        Assert.Throws<ObjectDisposedException>(() => s_uses[use](packed));
        Assert.False(next.IsReleased);
    }

    [Theory]
    [MemberData(nameof(Uses))]
    public void Every_use_of_the_default_value_throws(string use)
    {
        Assert.Throws<ObjectDisposedException>(() => s_uses[use](default));
    }

    [Fact]
    public void The_default_value_is_released_and_disposing_it_does_nothing()
    {
        var packed = default(PackedMessage);

        packed.Dispose();

        Assert.True(packed.IsReleased);
        Assert.Equal(default, packed);
    }

    [Fact]
    public void A_stream_made_before_the_release_reads_nothing_after_it()
    {
        var packed = _writer.Pack(PackingContracts.Position, s_position);
        using var stream = packed.AsStream();
        Assert.Equal(3, stream.ReadByte());

        packed.Dispose();
        using var next = _writer.Pack(PackingContracts.Position, new Position(7, 7, 7));

        Assert.Throws<ObjectDisposedException>(() => stream.ReadByte());
        Assert.Throws<ObjectDisposedException>(() => stream.Read(new byte[4], 0, 4));
        Assert.Throws<ObjectDisposedException>(() => stream.Length);
    }

    [Fact]
    public void Copies_of_a_handle_are_the_same_message_and_the_next_message_in_its_buffer_is_another()
    {
        var first = _writer.Pack(PackingContracts.Position, s_position);
        var copy = first;
        first.Dispose();
        using var next = _writer.Pack(PackingContracts.Position, s_position);

        Assert.True(first == copy);
        Assert.Equal(first.GetHashCode(), copy.GetHashCode());
        Assert.True(first != next);
        Assert.False(first.Equals((object)next));
        Assert.True(copy.IsReleased);
    }

    [Fact]
    public void A_kept_span_shows_poison_after_the_release()
    {
        var packed = _writer.Pack(PackingContracts.Position, s_position);
        var kept = packed.Memory;

        packed.Dispose();

        Assert.Equal(PackingContracts.Filled(kept.Length, 0xDD), kept.ToArray());
    }

    [Fact]
    public void Copying_to_a_span_that_is_too_short_throws_and_a_null_writer_does()
    {
        using var packed = _writer.Pack(PackingContracts.Position, s_position);

        Assert.Throws<ArgumentException>(() => packed.CopyTo(new byte[12].AsSpan()));
        Assert.Throws<ArgumentNullException>(() => packed.CopyTo((IBufferWriter<byte>)null!));
    }

    [Fact]
    public async Task A_thousand_messages_stay_themselves_across_awaits_and_releases_on_other_threads()
    {
        for (var round = 0; round < 2; round++)
        {
            var messages = Enumerable.Range(0, 1000).Select(i => _writer.Pack(PackingContracts.Text, $"message {round}.{i}")).ToArray();
            await Task.Yield();

            var releases = Enumerable.Range(0, 4).Select(part => Task.Run(async () =>
            {
                for (var i = part; i < messages.Length; i += 4)
                {
                    Assert.Equal(Expected($"message {round}.{i}"), messages[i].Span.ToArray());
                    if (i % 100 == part)
                        await Task.Yield();
                    messages[i].Dispose();
                }
            }));
            await Task.WhenAll(releases);

            Assert.All(messages, message => Assert.True(message.IsReleased));
        }
    }

    [Fact]
    public async Task The_stream_copies_the_whole_message()
    {
        var bytes = PackingContracts.Random(10_000, seed: 1);
        using var packed = _writer.Pack(PackingContracts.Bytes, bytes);
        using var copy = new MemoryStream();

        await packed.AsStream().CopyToAsync(copy);

        Assert.Equal([4, .. bytes], copy.ToArray());
    }

    private static byte[] Expected(string text) => [5, .. System.Text.Encoding.UTF8.GetBytes(text)];
}
