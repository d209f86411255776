using System.Linq;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Properties;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>A key that counts its comparisons, and whose hash codes are all equal.</summary>
[Message]
public sealed class CountedKey : IEquatable<CountedKey>
{
    [ThreadStatic]
    internal static int Comparisons;

    public int Number { get; set; }

    public bool Equals(CountedKey? other)
    {
        Comparisons++;
        return Number == other?.Number;
    }

    public override bool Equals(object? obj) => Equals(obj as CountedKey);

    public override int GetHashCode() => 1;
}

[Message]
public sealed record CountedKeys(HashSet<CountedKey> Value);

[Message]
public sealed record ListOfKeys(List<CountedKey> Value);

[Message]
public sealed record DatesForm(Dictionary<DateTime, int> Value);

/// <summary>Keys of which many share a hash code: a receiver takes them in a bounded number of steps, or the sender refuses them.</summary>
public sealed class KeyCollisionTests
{
    /// <summary>The positions of a square around zero, in one number each. Their hash codes are few.</summary>
    private static readonly long[] s_square = [.. Enumerable.Range(0, 180 * 180).Select(static i => ((long)((i % 180) - 90) << 32) | (uint)((i / 180) - 90))];

    [Fact]
    public void Set_of_positions_is_received_and_used_as_another_set()
    {
        var sent = new HashSet<long>(s_square);
        var received = Payload.Read<Positions>(Payload.Of(new Positions(sent))).Value;

        Assert.NotSame(EqualityComparer<long>.Default, received.Comparer);
        Assert.Equal(s_square, received);
        Assert.True(received.SetEquals(sent) && sent.SetEquals(received));
        Assert.False(received.Add(s_square[7]));
        Assert.True(received.Remove(s_square[7]) && received.Add(1L << 60));
        Assert.DoesNotContain(s_square[7], received);
        Assert.Equal(s_square.Length, new HashSet<long>(received).Count);
    }

    [Fact]
    public void Dictionary_of_positions_is_received_and_sent_again()
    {
        var sent = new PositionMap(s_square.ToDictionary(static one => one, static one => (byte)one));
        var received = Payload.Read<PositionMap>(Payload.Of(sent));

        Assert.Equal(sent.Value, received.Value);
        Assert.Equal(sent.Value[s_square[7]], received.Value[s_square[7]]);
        Assert.Equal(Payload.Of(sent), Payload.Of(received));
    }

    [Fact]
    public void Keys_of_structs_without_hash_code_are_received()
    {
        var spots = Enumerable.Range(0, 700).ToDictionary(static i => new Spot { Map = 7, X = i % 40, Y = -i }, static i => (byte)i);
        var places = Enumerable.Range(0, 700).Select(static i => new Place { Map = "map", X = i % 40, Y = -i }).ToHashSet();

        Assert.Equal(spots, Payload.Read<Spots>(Payload.Of(new Spots(spots))).Value);
        Assert.Equal(places, Payload.Read<Places>(Payload.Of(new Places(places, null))).Value);
    }

    [Fact]
    public void Numbers_that_differ_and_are_equal_have_one_key()
    {
        // Each pair is equal in .NET, and differs in its bytes.
        var zeros = new[] { (0.0, -0.0), (double.NaN, BitConverter.Int64BitsToDouble(BitConverter.DoubleToInt64Bits(double.NaN) ^ 1)) };
        foreach (var (one, other) in zeros)
        {
            List<double> keys = [one, .. Enumerable.Range(1, 20_000).Select(static i => BitConverter.Int64BitsToDouble(i * 0x100000001)), other];
            Assert.False(Payload.TryRead<Floats>([.. Payload.Of(new DoublesForm(keys)), 0, 0], out _));
            keys.RemoveAt(keys.Count - 1);
            Assert.True(Payload.TryRead<Floats>([.. Payload.Of(new DoublesForm(keys)), 0, 0], out var read));
            Assert.Contains(other, read!.Value);
        }
    }

    [Fact]
    public void Ordinary_keys_are_received_with_the_default_comparer()
    {
        var numbers = Payload.Read<Multiples>(Payload.Of(new Multiples([.. Enumerable.Range(0, 5_000).Select(static i => (ulong)i * 7919)], Enumerable.Range(0, 300).ToDictionary(static i => (uint)i, static _ => (byte)1), null)));

        Assert.Same(EqualityComparer<ulong>.Default, numbers.Value.Comparer);
        Assert.Same(EqualityComparer<uint>.Default, numbers.Numbers.Comparer);
    }

    [Theory]
    [InlineData(256, true)]
    [InlineData(300, false)]
    public void Keys_of_one_hash_code_are_sent_up_to_a_number_and_then_throw(int count, bool isSent)
    {
        var keys = new Constants([.. Enumerable.Range(0, count).Select(static i => new Constant(i))], null);
        if (isSent)
        {
            Assert.Equal(count, Payload.Read<Constants>(Payload.Of(keys)).Value.Count);
            return;
        }

        var error = Assert.Throws<InvalidOperationException>(() => Payload.Of(keys)).Message;
        Assert.Contains($"{typeof(Constants).FullName}.Value has 300 keys of {typeof(Constant).FullName}", error, StringComparison.Ordinal);
        Assert.Contains("GetHashCode", error, StringComparison.Ordinal);
        Assert.Contains("more than 128 steps", error, StringComparison.Ordinal);
        Assert.Contains(
            ".Map has 300 keys",
            Assert.Throws<InvalidOperationException>(() => Payload.Of(new Constants([], keys.Value.ToDictionary(static one => one, static _ => (byte)0)))).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(257)]
    [InlineData(512)] // the size of an array of the pool
    [InlineData(4096)]
    public void Keys_of_different_hash_codes_are_sent(int count) =>
        KeyChecks.Check(Enumerable.Range(0, count), count, EqualityComparer<int>.Default, hash: null, "Member");

    /// <summary>Half of what a receiver allows is left to a receiver whose hash codes differ.</summary>
    [Theory]
    [InlineData(257)]
    [InlineData(400)]
    [InlineData(20_000)]
    public void Received_keys_of_one_hash_code_are_compared_a_bounded_number_of_times(int count)
    {
        const int Most = KeyGuard<CountedKey>.PerKey + KeyGuard<CountedKey>.MaxPerKey + 2;
        var payload = Payload.Of(new ListOfKeys([.. Enumerable.Range(0, count).Select(static i => new CountedKey { Number = i })]));

        CountedKey.Comparisons = 0;
        var isRead = Payload.TryRead<CountedKeys>(payload, out _);

        Assert.InRange(CountedKey.Comparisons, count, (long)Most * new HashSet<int>(count).EnsureCapacity(0));
        Assert.Equal(count < 512, isRead);
    }

    [Fact]
    public void Keys_that_are_equal_by_the_default_comparer_throw_and_name_the_member()
    {
        var bySecond = new DatesForm(new Dictionary<DateTime, int>(new KindComparer()) { [new DateTime(5, DateTimeKind.Utc)] = 1, [new DateTime(5, DateTimeKind.Unspecified)] = 2 });
        var error = Assert.Throws<InvalidOperationException>(() => Payload.Of(bySecond)).Message;

        Assert.Contains($"{typeof(DatesForm).FullName}.Value has two keys", error, StringComparison.Ordinal);
        Assert.Contains(nameof(KindComparer), error, StringComparison.Ordinal);
        var names = new NamesForm(new HashSet<string?>(ReferenceEqualityComparer.Instance) { "a", new string('a', 1) });
        Assert.Contains("NamesForm.Value has two keys", Assert.Throws<InvalidOperationException>(() => Payload.Of(names)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Keys_of_another_comparer_that_are_different_are_received()
    {
        var byKind = new DatesForm(new Dictionary<DateTime, int>(new KindComparer()) { [new DateTime(5)] = 1, [new DateTime(6)] = 2 });
        Assert.Equal(byKind.Value, Payload.Read<DatesForm>(Payload.Of(byKind)).Value);
        foreach (var comparer in new[] { StringComparer.Ordinal, StringComparer.OrdinalIgnoreCase, StringComparer.InvariantCulture })
            Assert.Equal(["a", "b", null], Payload.Read<NamesForm>(Payload.Of(new NamesForm(new HashSet<string?>(comparer) { "a", "b", null }))).Value!);
    }

    [Fact]
    public void Pool_keeps_no_collection_with_another_comparer() => Uncollected.Run(static () =>
    {
        var comparers = new List<object>();
        var receiver = new PooledReceiver<PooledPositions>(message => comparers.AddRange([message.Set.Comparer, message.Map.Comparer]));
        var positions = s_square.Take(3_900).Select(static (_, i) => i * 0x100000001).ToArray();

        receiver.Receive(Payload.Of(new PooledPositions { Set = [.. positions], Map = positions.ToDictionary(static one => one, static _ => new SparsePooled()) }));
        receiver.Receive(Payload.Of(new PooledPositions { Set = [1], Map = new() { [1] = new() } }));

        Assert.All(comparers.Take(2), static one => Assert.NotSame(EqualityComparer<long>.Default, one));
        Assert.All(comparers.Skip(2), static one => Assert.Same(EqualityComparer<long>.Default, one));
        Assert.Equal(4, comparers.Count);
    });

    /// <summary>Times are equal if their kinds are too.</summary>
    private sealed class KindComparer : IEqualityComparer<DateTime>
    {
        public bool Equals(DateTime x, DateTime y) => x == y && x.Kind == y.Kind;

        public int GetHashCode(DateTime obj) => obj.GetHashCode();
    }
}

[Message]
public sealed record DoublesForm(List<double> Value);
