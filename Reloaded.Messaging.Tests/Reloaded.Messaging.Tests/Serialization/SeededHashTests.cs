using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

public sealed class SeededHashTests
{
    private delegate ulong Product(ulong a, ulong b, out ulong low);

    [Fact]
    public void Every_bit_of_every_length_counts_and_nothing_around_it()
    {
        var random = new Random(1);
        var around = new byte[120];
        for (var length = 1; length <= 100; length++)
        {
            random.NextBytes(around);
            var bytes = around.AsSpan(length % 11, length);
            var hash = SeededHash.Of(bytes);
            Assert.Equal(hash, SeededHash.Of(bytes.ToArray()));

            for (var bit = 0; bit < length * 8; bit++)
            {
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                Assert.NotEqual(hash, SeededHash.Of(bytes));
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            }
        }
    }

    [Fact]
    public void Lengths_of_equal_bytes_differ()
    {
        var hashes = new HashSet<ulong>();
        var zeros = new byte[1024];

        for (var length = 1; length <= zeros.Length; length++)
            Assert.True(hashes.Add(SeededHash.Of(zeros.AsSpan(0, length))), $"{length} zeros collide with fewer.");
    }

    [Fact]
    public void Topmost_bits_of_two_words_do_not_cancel_out()
    {
        var bytes = new byte[64];
        var hash = SeededHash.Of(bytes);
        for (var first = 7; first < bytes.Length; first += 8)
        {
            for (var second = first + 8; second < bytes.Length; second += 8)
            {
                bytes[first] = bytes[second] = 0x80;
                Assert.NotEqual(hash, SeededHash.Of(bytes));
                bytes[first] = bytes[second] = 0;
            }
        }
    }

    [Fact]
    public void The_lowest_bits_of_ids_that_differ_in_a_number_spread_over_a_table()
    {
        var counts = new int[256];
        for (var i = 0; i < 256 * 64; i++)
            counts[SeededHash.Of(System.Text.Encoding.ASCII.GetBytes($"reloaded.mod.{i}")) % 256]++;

        Assert.All(counts, static count => Assert.InRange(count, 16, 128)); // 64 on average, 8 the standard deviation
    }

    [Fact]
    public void Where_the_target_lacks_the_long_product_its_stand_in_gives_the_same()
    {
        var standIn = typeof(MessagePool).Assembly.GetType("Reloaded.Messaging.Polyfills.FrameworkExtensions")?.GetMethod(nameof(Math.BigMul));
        Assert.Equal(LibraryBuild.IsNetStandard, standIn is not null);
        Assert.SkipWhen(standIn is null, "This build uses Math.BigMul of the framework. Only the builds for netstandard contain the stand-in.");

        var product = standIn!.CreateDelegate<Product>();
        ulong[] edges = [0, 1, uint.MaxValue, uint.MaxValue + 1UL, ulong.MaxValue - 1, ulong.MaxValue, 0x8000_0000_8000_0000, 0x1234_5678_9ABC_DEF0];
        foreach (var a in edges)
        {
            foreach (var b in edges)
            {
                var high = Math.BigMul(a, b, out var low);
                Assert.Equal((high, low), (product(a, b, out var actualLow), actualLow));
            }
        }
    }
}
