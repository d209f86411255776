using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Generated;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>Payloads made to take much more memory than bytes, or time.</summary>
[Quiet]
public sealed class AmplificationTests
{
    private const int Size = 100_000;

    /// <summary>The member of <see cref="Heavy"/> with the largest nullable structs. The null of such a struct takes its memory.</summary>
    private const int Nulls = 6;

    /// <summary>The place of a member of <see cref="Heavy"/>, and what its items are, to the end of the payload.</summary>
    public static TheoryData<int, string, byte[]> Payloads { get; } = new()
    {
        { 0, "empty dictionaries", [1] },
        { 0, "dictionaries of one pair", [2, 1, 1] },
        { 0, "dictionaries of four pairs", [5, 1, 1, 2, 2, 3, 3, 4, 4] },
        { 0, "no dictionaries", [0] },
        { 1, "empty lists", [1] },
        { 1, "lists of one number", [2, 1, 0, 0, 0] },
        { 2, "empty texts", [1] },
        { 2, "texts of one letter", [2, (byte)'a'] },
        { 2, "texts of two letters", [3, (byte)'a', (byte)'b'] },
        { 3, "empty arrays", [1] },
        { 3, "arrays of one byte", [2, 1] },
        { 4, "structs that are null", [0] },
        { 5, "structs that end before they start", [1] },
        { 5, "structs that are null and may not be", [0] },
        { 6, "structs that may be null", [0] },
        { 6, "structs that may be null, and end before they start", [1, 1] },
        { 7, "messages that are null", [0] },
        { 7, "empty messages", [1] },
        { 7, "messages of null", [2, 0] },
        { 7, "messages of an empty list", [9, 0, 1, 0, 0, 0, 0, 0, 1] },
    };

    [Theory]
    [MemberData(nameof(Payloads))]
    public void No_payload_takes_much_more_memory_than_bytes(int member, string what, byte[] item)
    {
        foreach (var size in new[] { 30, 300, Size })
        {
            var payload = Repeat(member, item, size);
            var allocated = Allocated<Heavy>(payload, out var read);
            Assert.True(allocated <= Bound.Of(payload.Length, member == Nulls ? Unsafe.SizeOf<WideMessage?>() : 0), $"{what}, {payload.Length} B, {(read ? "read" : "refused")}: {allocated} B");
        }
    }

    [Theory]
    [InlineData(0, "makers of all", 0)]
    [InlineData(0, "makers of what is there too", 16)]
    [InlineData(1, "takers of nothing", 0)]
    [InlineData(1, "takers of all", 16)]
    [InlineData(2, "pairs of nothing", 0)]
    [InlineData(2, "pairs", 2)]
    public void Collections_that_are_never_null_take_no_more_than_their_share(int member, string what, int collections)
    {
        var item = new byte[1 + collections];
        Array.Fill(item, (byte)1); // empty ones
        item[0] = (byte)item.Length;

        // Bytes that nobody reads have an allowance too.
        var payload = Repeat(member, item, collections == 0 ? Size / 5 : Size);
        Array.Resize(ref payload, Math.Max(payload.Length, Size));
        var allocated = Allocated<Eager>(payload, out var read);
        Assert.True(allocated <= Bound.OfEager(payload.Length), $"{what}, {payload.Length} B, {(read ? "read" : "refused")}: {allocated} B");
        Assert.True(read || collections == 0, $"{what}: refused, though all is there");
    }

    [Fact]
    public void Keys_that_were_chosen_to_fall_together_get_another_comparer()
    {
        const int Count = 20_000;
        var buckets = new Dictionary<int, byte>(Count).EnsureCapacity(0);
        foreach (var key in new Func<int, int>[] { i => i * buckets, i => (i % 2 * 17) + (i / 2 * buckets) })
        {
            Assert.True(Payload.TryRead<Heavy>(Numbers(Count, key), out var read));
            Assert.NotSame(EqualityComparer<int>.Default, read!.Numbers!.Comparer);
            Assert.Equal(Enumerable.Range(0, Count).Select(key), read.Numbers.Keys);
        }

        foreach (var key in new Func<int, int>[] { static i => i, static i => i * 1024, static i => -i * 7919 })
        {
            Assert.True(Payload.TryRead<Heavy>(Numbers(Count, key), out var read));
            Assert.Same(EqualityComparer<int>.Default, read!.Numbers!.Comparer);
        }
    }

    [Theory]
    [InlineData(256, true)]
    [InlineData(257, false)]
    public void Keys_that_fall_together_in_a_small_dictionary_are_only_slow(int count, bool isDefault)
    {
        var buckets = new Dictionary<int, byte>(count).EnsureCapacity(0);
        Assert.True(Payload.TryRead<Heavy>(Numbers(count, i => i * buckets), out var read));
        Assert.Equal(count, read!.Numbers!.Count);
        Assert.Equal(isDefault, ReferenceEquals(EqualityComparer<int>.Default, read.Numbers.Comparer));
    }

    private static long Allocated<T>(byte[] payload, out bool read)
    {
        Payload.TryRead<T>(payload, out _); // once, to have everything made that is made once
        var allocated = GC.GetAllocatedBytesForCurrentThread();
        read = Payload.TryRead<T>(payload, out _);
        return GC.GetAllocatedBytesForCurrentThread() - allocated;
    }

    private static byte[] Numbers(int count, Func<int, int> key)
    {
        var numbers = new List<byte>(new byte[8]);
        Span<byte> bytes = stackalloc byte[UVarint.MaxSize];
        numbers.AddRange(bytes.Slice(0, UVarint.Write(bytes, (uint)count + 1)).ToArray());
        for (var i = 0; i < count; i++)
        {
            numbers.AddRange(BitConverter.GetBytes(key(i)));
            numbers.Add(1);
        }

        return [.. numbers];
    }

    /// <summary>Nulls up to the member, then a count of as many items as fit, and those.</summary>
    private static byte[] Repeat(int member, byte[] item, int size)
    {
        var count = size / item.Length;
        var prefix = new byte[UVarint.MaxSize];
        var length = UVarint.Write(prefix, (uint)count + 1);
        var payload = new byte[member + length + (count * item.Length)];
        prefix.AsSpan(0, length).CopyTo(payload.AsSpan(member));
        for (var i = 0; i < count; i++)
            item.CopyTo(payload, member + length + (i * item.Length));
        return payload;
    }
}
