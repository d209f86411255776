using System.Linq;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>What every compressor has to do.</summary>
public abstract class CompressorContractTests
{
    public static readonly TheoryData<int, bool> Payloads = new(
        from size in new[] { 0, 1, 2, 255, 256, 1000, 65_536, 1 << 20 }
        from random in new[] { false, true }
        select (size, random));

    protected abstract IMessageCompressor Compressor { get; }

    [Fact]
    public void It_has_a_name() => Assert.Matches("^[a-z0-9]+$", Compressor.Name);

    [Theory]
    [MemberData(nameof(Payloads))]
    public void What_was_compressed_comes_back(int size, bool random)
    {
        var payload = Payload(size, random);
        var compressed = Compress(payload);
        var result = Stale(size);

        Assert.True(Compressor.TryDecompress(compressed, result));

        Assert.True(payload.AsSpan().SequenceEqual(result));
        if (!random && size >= 256)
            Assert.InRange(compressed.Length, 1, size / 2);
    }

    [Theory]
    [MemberData(nameof(Payloads))]
    public void A_destination_that_is_too_short_is_left_with_false(int size, bool random)
    {
        var payload = Payload(size, random);
        var compressed = Compress(payload);
        var guarded = Stale(compressed.Length + 100);

        Assert.False(Compressor.TryCompress(payload, guarded.AsSpan(0, compressed.Length / 2), out _));
        Assert.False(Compressor.TryCompress(payload, [], out _));

        Assert.Equal(-1, guarded.AsSpan(compressed.Length / 2).IndexOfAnyExcept((byte)0xEE));
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(300, false)]
    [InlineData(300, true)]
    public void Every_truncation_is_refused(int size, bool random)
    {
        var compressed = Compress(Payload(size, random));

        for (var length = 0; length < compressed.Length; length++)
            Assert.False(Compressor.TryDecompress(compressed.AsSpan(0, length), Stale(size)), $"{length} of {compressed.Length} bytes were enough.");
    }

    [Theory]
    [MemberData(nameof(Payloads))]
    public void Bytes_left_over_are_refused(int size, bool random)
    {
        var compressed = Compress(Payload(size, random));

        for (var value = 0; value < 256; value += 51)
            Assert.False(Compressor.TryDecompress([.. compressed, (byte)value], Stale(size)));
        Assert.False(Compressor.TryDecompress([.. compressed, .. compressed], Stale(size)));
    }

    [Theory]
    [MemberData(nameof(Payloads))]
    public void Another_size_than_the_payloads_is_refused(int size, bool random)
    {
        var compressed = Compress(Payload(size, random));

        Assert.False(Compressor.TryDecompress(compressed, Stale(size + 1)));
        Assert.False(Compressor.TryDecompress(compressed, Stale((size * 2) + 100)));
        if (size > 0)
        {
            Assert.False(Compressor.TryDecompress(compressed, Stale(size - 1)));
            Assert.False(Compressor.TryDecompress(compressed, []));
        }
    }

    [Theory]
    [InlineData(40, false)]
    [InlineData(40, true)]
    [InlineData(1000, false)]
    public void A_flipped_bit_never_throws_and_never_writes_outside(int size, bool random)
    {
        var compressed = Compress(Payload(size, random));
        var refused = 0;
        for (var bit = 0; bit < compressed.Length * 8; bit++)
        {
            var flipped = compressed.ToArray();
            flipped[bit / 8] ^= (byte)(1 << (bit % 8));
            refused += AssertStaysInside(flipped, size) ? 0 : 1;
        }

        Assert.NotEqual(0, refused);
    }

    [Fact]
    public void Random_bytes_never_throw_and_never_write_outside()
    {
        var random = new Random(6);
        var refused = 0;
        for (var i = 0; i < 2000; i++)
        {
            var bytes = new byte[random.Next(200)];
            random.NextBytes(bytes);
            refused += AssertStaysInside(bytes, random.Next(1000)) ? 0 : 1;
        }

        Assert.InRange(refused, 1900, 2000);
    }

    [Fact]
    public void Two_threads_may_use_it_at_once()
    {
        var compressor = Compressor; // a missing library skips the test on this thread
        var threads = Enumerable.Range(0, 2).Select(thread => OtherThread.Start(() =>
        {
            for (var i = 0; i < 300; i++)
            {
                var payload = Encoding.UTF8.GetBytes(string.Join(' ', Enumerable.Repeat($"thread {thread}, round {i}", 1 + (i % 40))));
                var result = Stale(payload.Length);
                Assert.True(compressor.TryDecompress(Compress(payload), result));
                Assert.Equal(payload, result);
            }
        })).ToArray();

        Assert.All(threads, OtherThread.Join);
    }

    [Fact]
    public void It_allocates_nothing()
    {
        var compressor = Compressor;
        var payload = Payload(1000, random: false);
        var compressed = new byte[compressor.GetMaxCompressedSize(payload.Length)];
        var works = true;

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            works &= compressor.TryCompress(payload, compressed, out var written);
            works &= compressor.TryDecompress(compressed.AsSpan(0, written), payload);
            works &= !compressor.TryDecompress(compressed.AsSpan(0, written - 1), payload);
        }));
        Assert.True(works);
    }

    [Fact]
    public void A_negative_size_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Compressor.GetMaxCompressedSize(-1));

    private static byte[] Payload(int size, bool random)
    {
        var payload = new byte[size];
        if (random)
            new Random(size).NextBytes(payload);
        else
            for (var i = 0; i < size; i++)
                payload[i] = (byte)"a text that says the same again and again, "[i % 43];
        return payload;
    }

    private static byte[] Stale(int size)
    {
        var bytes = new byte[size];
        Array.Fill(bytes, (byte)0xEE);
        return bytes;
    }

    private byte[] Compress(byte[] payload)
    {
        var destination = new byte[Compressor.GetMaxCompressedSize(payload.Length)];
        Assert.True(Compressor.TryCompress(payload, destination, out var written));
        return destination[..written];
    }

    private bool AssertStaysInside(byte[] compressed, int size)
    {
        var before = compressed.ToArray();
        var guarded = Stale(size + 128);
        var result = Compressor.TryDecompress(compressed, guarded.AsSpan(64, size));
        Assert.Equal(-1, guarded.AsSpan(0, 64).IndexOfAnyExcept((byte)0xEE));
        Assert.Equal(-1, guarded.AsSpan(64 + size).IndexOfAnyExcept((byte)0xEE));
        Assert.Equal(before, compressed);
        return result;
    }
}
