using System.Globalization;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

[Quiet]
public sealed class StringCacheTests
{
    public static TheoryData<string, byte[]> NotUtf8 => new()
    {
        { "a lone continuation", [0x80] },
        { "a sequence that ends too early", [0x61, 0xE4, 0xB8] },
        { "an overlong slash", [0xC0, 0xAF] },
        { "an overlong slash of three bytes", [0xE0, 0x80, 0xAF] },
        { "half of a surrogate pair", [0xED, 0xA0, 0x80] },
        { "above U+10FFFF", [0xF4, 0x90, 0x80, 0x80] },
        { "a byte that UTF-8 never has", [0x61, 0xFF] },
        { "a bad byte at the end of a text too long to remember", [.. new byte[StringCache.MaxLength], 0xFF] },
    };

    [Theory]
    [InlineData("a")]
    [InlineData("\0")]
    [InlineData("mod")]
    [InlineData("reloaded.universal.redirector")]
    [InlineData("\uFEFFGrüße, 世界 🎮\uFFFD")]
    public void Bytes_give_their_string_and_the_same_one_again(string text) => Uncollected.Run(() =>
    {
        var first = GetOrAdd(Encoding.UTF8.GetBytes(text));
        var second = GetOrAdd(Encoding.UTF8.GetBytes(text));

        Assert.Equal(text, first);
        Assert.Same(first, second);
    });

    [Fact]
    public void No_bytes_give_the_empty_string() => Assert.Same("", GetOrAdd([]));

    [Theory]
    [InlineData(1023, true)]
    [InlineData(1024, true)]
    [InlineData(1025, false)]
    [InlineData(5000, false)]
    public void Strings_up_to_the_longest_are_remembered(int length, bool remembered) => Uncollected.Run(() =>
    {
        var bytes = Encoding.ASCII.GetBytes(new string('x', length));

        var first = GetOrAdd(bytes);
        var second = GetOrAdd(bytes);

        Assert.Equal(new string('x', length), second);
        Assert.Equal(remembered, ReferenceEquals(first, second));
    });

    [Theory]
    [MemberData(nameof(NotUtf8))]
    public void Bytes_that_are_not_utf8_are_refused_each_time(string reason, byte[] bytes)
    {
        var before = StringCache.Count;

        for (var i = 0; i < 2; i++)
        {
            Assert.False(StringCache.TryGetOrAdd(bytes, out var value), reason);
            Assert.Null(value);
        }

        Assert.InRange(StringCache.Count, 0, before);
    }

    [Fact]
    public void What_becomes_of_the_bytes_afterwards_does_not_matter() => Uncollected.Run(() =>
    {
        var bytes = "the.id.of.a.mod"u8.ToArray();
        var first = GetOrAdd(bytes);
        bytes[0] = (byte)'T';

        Assert.Equal("The.id.of.a.mod", GetOrAdd(bytes));
        Assert.Same(first, GetOrAdd("the.id.of.a.mod"u8));
    });

    [Fact]
    public void However_many_strings_come_no_more_than_the_bound_are_remembered() => Uncollected.Run(() =>
    {
        for (var i = 0; i < 100_000; i++)
        {
            var text = i.ToString(CultureInfo.InvariantCulture);
            Assert.Equal(text, GetOrAdd(Encoding.ASCII.GetBytes(text)));
        }

        Assert.Equal(1024, StringCache.Capacity);
        Assert.InRange(StringCache.Count, StringCache.Capacity / 2, StringCache.Capacity);
    });

    [Fact]
    public void A_trim_forgets_what_was_not_asked_for_since_the_last_one() => Uncollected.Run(() =>
    {
        Empty();
        var used = GetOrAdd("used"u8);
        var unused = GetOrAdd("unused"u8);
        Assert.Same(used, GetOrAdd("used"u8));

        MessagePool.Trim();

        Assert.Equal(1, StringCache.Count);
        Assert.Same(used, GetOrAdd("used"u8));
        Assert.NotSame(unused, GetOrAdd("unused"u8));
    });

    [Fact]
    public void Two_full_collections_without_a_hit_forget_everything()
    {
        for (var i = 0; i < 4; i++)
            GetOrAdd("used"u8);

        for (var i = 0; i < 2; i++)
            FullCollection.Run();

        Assert.Equal(0, StringCache.Count);
    }

    [Fact]
    public void A_string_that_is_remembered_allocates_nothing() =>
        Assert.Equal(0, Allocation.OfThousand(static () => GetOrAdd("reloaded.universal.redirector"u8)));

    private static void Empty()
    {
        MessagePool.Trim(); // marks what tests before asked for
        MessagePool.Trim();
    }

    private static string GetOrAdd(ReadOnlySpan<byte> utf8)
    {
        Assert.True(StringCache.TryGetOrAdd(utf8, out var value));
        return value;
    }
}
