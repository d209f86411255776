using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Message]
public sealed record WordsForm(string[] Value);

[Message]
public sealed record WordCountsForm(Dictionary<string, int> Value);

/// <summary>Collections that are sent like an array.</summary>
[Message]
public sealed class ListForms
{
    public IEnumerable<string> A { get; set; } = [];
    public ICollection<string> B { get; set; } = [];
    public IList<string> C { get; set; } = [];
    public IReadOnlyCollection<string> D { get; set; } = [];
    public Queue<string> E { get; set; } = [];
    public Stack<string> F { get; set; } = [];
    public LinkedList<string> G { get; set; } = [];
    public ObservableCollection<string> H { get; set; } = [];
    public Collection<string> I { get; set; } = [];
    public ReadOnlyCollection<string> J { get; set; } = new([]);
    public ReadOnlyObservableCollection<string> K { get; set; } = new([]);
    public ImmutableList<string> L { get; set; } = [];
    public IImmutableList<string> M { get; set; } = ImmutableList<string>.Empty;
    public ImmutableQueue<string> N { get; set; } = [];
    public ImmutableStack<string> O { get; set; } = [];
    public ConcurrentStack<string> P { get; set; } = new();
    public ArraySegment<string> Q { get; set; }
    public Memory<string> R { get; set; }

    public IEnumerable<IEnumerable<string>> All() => [A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q.Array is null ? [] : Q, R.ToArray()];

    public static ListForms Of(params string[] items) => new()
    {
        A = items.Select(static item => item), // has no count
        B = items.ToImmutableList(),
        C = new Collection<string>([.. items]),
        D = new Queue<string>(items),
        E = new(items),
        F = new(Enumerable.Reverse(items)),
        G = new(items),
        H = new(items),
        I = new([.. items]),
        J = new(items),
        K = new(new(items)),
        L = [.. items],
        M = ImmutableList.Create(items),
        N = ImmutableQueue.Create(items),
        O = ImmutableStack.CreateRange(Enumerable.Reverse(items)),
        P = new(Enumerable.Reverse(items)),
        Q = new(["x", .. items, "y"], 1, items.Length),
        R = items,
    };
}

/// <summary>Collections that are sent like a set.</summary>
[Message]
public sealed class SetForms
{
    public ISet<string> A { get; set; } = new HashSet<string>();
    public IReadOnlySet<string> B { get; set; } = new HashSet<string>();
    public SortedSet<string> C { get; set; } = [];
    public ImmutableHashSet<string> D { get; set; } = [];
    public IImmutableSet<string> E { get; set; } = ImmutableHashSet<string>.Empty;
    public ImmutableSortedSet<string> F { get; set; } = [];
    public FrozenSet<string> G { get; set; } = FrozenSet<string>.Empty;

    public IEnumerable<IEnumerable<string>> All() => [A, B, C, D, E, F, G];

    public static SetForms Of(params string[] items) => new()
    {
        A = new SortedSet<string>(items),
        B = items.ToFrozenSet(),
        C = [.. items],
        D = [.. items],
        E = items.ToImmutableSortedSet(),
        F = [.. items],
        G = items.ToFrozenSet(),
    };
}

/// <summary>Collections that are sent like a dictionary.</summary>
[Message]
public sealed class MapForms
{
    public IDictionary<string, int> A { get; set; } = new Dictionary<string, int>();
    public IReadOnlyDictionary<string, int> B { get; set; } = new Dictionary<string, int>();
    public SortedDictionary<string, int> C { get; set; } = [];
    public SortedList<string, int> D { get; set; } = [];
    public ImmutableDictionary<string, int> E { get; set; } = ImmutableDictionary<string, int>.Empty;
    public IImmutableDictionary<string, int> F { get; set; } = ImmutableDictionary<string, int>.Empty;
    public ImmutableSortedDictionary<string, int> G { get; set; } = ImmutableSortedDictionary<string, int>.Empty;
    public FrozenDictionary<string, int> H { get; set; } = FrozenDictionary<string, int>.Empty;
    public ReadOnlyDictionary<string, int> I { get; set; } = new(new Dictionary<string, int>());

    public IEnumerable<IEnumerable<KeyValuePair<string, int>>> All() => [A, B, C, D, E, F, G, H, I];

    public static MapForms Of(params KeyValuePair<string, int>[] items) => new()
    {
        A = new ConcurrentDictionary<string, int>(items),
        B = items.ToImmutableDictionary(),
        C = new(new Dictionary<string, int>(items)),
        D = new(new Dictionary<string, int>(items)),
        E = items.ToImmutableDictionary(),
        F = items.ToImmutableSortedDictionary(),
        G = items.ToImmutableSortedDictionary(),
        H = items.ToFrozenDictionary(),
        I = new(new Dictionary<string, int>(items)),
    };
}

[Message]
public sealed record FigureSegment(ArraySegment<Figure> Value);

[Message]
public sealed record MaybeWrapped(IEnumerable<int>? A, Queue<int?>? B, Stack<Square?>? C, SortedSet<int>? D, ImmutableDictionary<int, string?>? E, ArraySegment<byte>? F, Memory<Shift>? G, IDictionary<(int, string), IList<int>>? H);

[Message]
public sealed record MissingWrapped(Queue<int> A, IList<int> B, ImmutableList<int> C, FrozenSet<int> D, SortedDictionary<string, int> E, ArraySegment<byte> F, ImmutableStack<int> G, IReadOnlyDictionary<int, int> H);

[Message(Pooled = true)]
public sealed class PooledWrapped
{
    public Queue<int> A { get; set; } = [];
    public IList<List<int>>? B { get; set; }
    public ImmutableHashSet<string>? C { get; set; }
}

[Message]
public sealed record HashedForm(ImmutableHashSet<int> Value);

[Message]
public sealed record HashedMapForm(ImmutableDictionary<int, byte> Value);

[Message]
public sealed record FrozenForm(FrozenSet<int> Value);

[Message]
public sealed record SequenceForm(IEnumerable<int> Value);

[Message]
public sealed record NumbersForm(ICollection<string> Value);

[Message]
public sealed record AnyMapForm(IDictionary<string, int> Value);

[Message]
public sealed record SortedForm(SortedSet<string> Value);

/// <summary>Collections other than arrays, lists, sets and dictionaries: what they look like on the wire is that of those.</summary>
public sealed class WrappedCollectionTests
{
    private static readonly string[] s_words = ["b", "", "a", "ß", "b"];
    private static readonly string[] s_distinct = ["b", "", "a", "B"];
    private static readonly KeyValuePair<string, int>[] s_pairs = [new("b", 1), new("a", 2), new("", 3), new("B", 4)];

    [Fact]
    public void Segment_of_an_array_of_a_derived_type_arrives()
    {
        Figure[] circles = new Circle[] { new(1), new(2), new(3) };

        Assert.Equal([new Circle(2), new Circle(3)], Payload.Read<FigureSegment>(Payload.Of(new FigureSegment(new(circles, 1, 2)))).Value);
    }

    [Fact]
    public void Lists_are_sent_as_an_array_is_and_keep_their_order()
    {
        var one = Payload.Of(new WordsForm(s_words));
        var bytes = Payload.Of(ListForms.Of(s_words));
        var read = Payload.Read<ListForms>(bytes);

        Assert.Equal([.. Enumerable.Repeat(one, read.All().Count()).SelectMany(static part => part)], bytes);
        Assert.All(read.All(), static items => Assert.Equal(s_words, items));
        Assert.Equal(bytes, Payload.Of(read));
        Assert.IsType<List<string>>(read.B);
        Assert.IsType<List<string>>(read.C);
        Assert.Equal(["b", ""], [read.E.Dequeue(), read.F.Skip(1).First()]);
    }

    [Fact]
    public void Sets_and_dictionaries_have_their_items()
    {
        var sets = Payload.Read<SetForms>(Payload.Of(SetForms.Of(s_distinct)));
        var maps = Payload.Read<MapForms>(Payload.Of(MapForms.Of(s_pairs)));

        Assert.All(sets.All(), static items => Assert.Equal(s_distinct.Order(StringComparer.Ordinal), items.Order(StringComparer.Ordinal)));
        Assert.All(maps.All(), static items => Assert.Equal(s_pairs.OrderBy(static one => one.Value), items.OrderBy(static one => one.Value)));
        Assert.Equal(4, maps.H["B"]);
        Assert.True(sets.D.Contains("ß") == s_distinct.Contains("ß") && sets.G.Contains("a"));
    }

    [Fact]
    public void Each_is_read_from_what_a_plain_collection_sends()
    {
        foreach (var read in Enumerable.Range(0, 2))
        {
            var words = read == 0 ? [] : s_distinct;
            var list = Payload.Of(new WordsForm(words));
            var map = Payload.Of(new WordCountsForm(words.ToDictionary(static word => word, static word => word.Length)));
            Assert.All(Payload.Read<ListForms>(Repeat(list, 18)).All(), items => Assert.Equal(words, items));
            Assert.All(Payload.Read<SetForms>(Repeat(list, 7)).All(), items => Assert.Equal(words.Order(StringComparer.Ordinal), items.Order(StringComparer.Ordinal)));
            Assert.All(Payload.Read<MapForms>(Repeat(map, 9)).All(), items => Assert.Equal(words.Length, items.Count()));
        }
    }

    [Fact]
    public void Null_and_missing_values()
    {
        var nulls = new MaybeWrapped(null, null, null, null, null, null, null, null);
        Assert.Equal(new byte[8], Payload.Of(nulls));
        Assert.Equal(nulls, Payload.Read<MaybeWrapped>(Payload.Of(nulls)));
        Assert.Equal(nulls, Payload.Read<MaybeWrapped>([]));

        var missing = Payload.Read<MissingWrapped>([]);
        Assert.All(new IEnumerable[] { missing.A, missing.B, missing.C, missing.D, missing.E, missing.F, missing.G, missing.H }, static items => Assert.Empty(items));
        for (var i = 0; i < 8; i++)
            Assert.False(Payload.TryRead<MissingWrapped>([.. Enumerable.Repeat((byte)1, i), 0, .. Enumerable.Repeat((byte)1, 7 - i)], out _), $"null in the field {i}");
        Assert.Contains("MissingWrapped.A is null", Assert.Throws<InvalidOperationException>(() => Payload.Of(missing with { A = null! })).Message, StringComparison.Ordinal);
        Assert.Equal(Payload.Of(missing), Payload.Of(missing with { F = default }));
    }

    [Fact]
    public void Any_payload_is_read_or_refused()
    {
        var random = new Random(60);
        Check(ListForms.Of(s_words));
        Check(SetForms.Of(s_distinct));
        Check(MapForms.Of(s_pairs));
        Check(new MaybeWrapped([1, 2], new([3, null]), new([null, new Square(2)]), [5, 3], ImmutableDictionary<int, string?>.Empty.Add(1, null), new byte[3], new Shift[2], new Dictionary<(int, string), IList<int>> { [(1, "a")] = [2] }));

        void Check<T>(T value)
        {
            var bytes = Payload.Of(value);
            for (var cut = 0; cut < bytes.Length; cut++)
            {
                Payload.TryRead<T>(bytes[..cut], out _);
                for (var i = 0; i < 8; i++)
                {
                    var damaged = bytes.ToArray();
                    damaged[cut] = (byte)random.Next(256);
                    if (Payload.TryRead<T>(damaged, out var read))
                        Payload.Of(read);
                }
            }
        }
    }

    [Theory]
    [InlineData("03 02 61 02 61")]
    [InlineData("05 02 61 02 62 02 63 02 61")]
    public void Set_with_equal_items_is_refused(string hex)
    {
        var twice = PageTable.Bytes(hex);
        for (var i = 0; i < 7; i++)
            Assert.False(Payload.TryRead<SetForms>([.. Enumerable.Repeat((byte)1, i), .. twice, .. Enumerable.Repeat((byte)1, 6 - i)], out _), $"the field {i}");
    }

    [Fact]
    public void Keys_that_were_chosen_to_collide_get_another_comparer()
    {
        const int Count = 20_000;
        var buckets = new HashSet<int>(Count).EnsureCapacity(0);
        var colliding = Payload.Of(new ArrayForm([.. Enumerable.Range(0, Count).Select(i => i * buckets)]));

        Assert.NotSame(EqualityComparer<int>.Default, Payload.Read<HashedForm>(colliding).Value.KeyComparer);
        Assert.NotSame(EqualityComparer<int>.Default, Payload.Read<FrozenForm>(colliding).Value.Comparer);
        var map = Payload.Of(new HashedMapForm(Enumerable.Range(0, Count).ToImmutableDictionary(i => i * buckets, static _ => (byte)1)));
        Assert.NotSame(EqualityComparer<int>.Default, Payload.Read<HashedMapForm>(map).Value.KeyComparer);
        Assert.Equal(Count, Payload.Read<HashedMapForm>(map).Value.Count);
    }

    [Fact]
    public void Keys_that_the_receiver_takes_for_equal_are_not_sent()
    {
        var byReference = new Dictionary<string, int>(ReferenceEqualityComparer.Instance as IEqualityComparer<string>) { ["a"] = 1, [new string('a', 1)] = 2 };
        var neverEqual = Comparer<string>.Create(static (_, _) => 1);

        Assert.Contains("AnyMapForm.Value has two keys that are equal", Assert.Throws<InvalidOperationException>(() => Payload.Of(new AnyMapForm(new ReadOnlyDictionary<string, int>(byReference)))).Message, StringComparison.Ordinal);
        Assert.Contains("SortedForm.Value has two keys that are equal", Assert.Throws<InvalidOperationException>(() => Payload.Of(new SortedForm(new(neverEqual) { "a", "a" }))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Sorted_strings_arrive_in_the_order_of_their_units_in_any_culture()
    {
        var before = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = CultureInfo.GetCultureInfo("de-DE");
            foreach (var sent in new string[][] { ["b", "B", "a"], ["a\u00AD", "a"] })
                Assert.Equal(sent.Order(StringComparer.Ordinal), Payload.Read<SortedForm>(Payload.Of(new WordsForm(sent))).Value.ToArray());
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void Collection_with_a_wrong_count_is_not_sent_and_the_writer_works_on()
    {
        Assert.Contains("NumbersForm.Value has a count of 3, but enumerated 1 items", Assert.Throws<InvalidOperationException>(static () => Payload.Of(new NumbersForm(new Miscounted()))).Message, StringComparison.Ordinal);
        Assert.Equal([1], Payload.Read<SequenceForm>(Payload.Of(new SequenceForm([1]))).Value);
    }

    [Fact]
    public void Lists_and_arrays_behind_an_interface_are_written_without_an_allocation()
    {
        var writer = new MessageWriter();
        foreach (var form in new[] { new SequenceForm(new int[3]), new SequenceForm(new List<int> { 1 }) })
            Assert.Equal(0, Allocation.OfThousand(() => writer.Pack(form).Dispose()));
    }

    [Fact]
    public void Pooled_message_has_a_new_one_each_time()
    {
        var got = "";
        var receiver = new PooledReceiver<PooledWrapped>(message => got = $"{string.Join(',', message.A)} {message.B?.Count} {message.C?.Count}");
        var full = Payload.Of(new PooledWrapped { A = new([1, 2]), B = [[3]], C = ["a"] });

        receiver.Receive(full);
        Assert.Equal("1,2 1 1", got);
        receiver.Receive([]);
        Assert.Equal("  ", got);
        receiver.Receive(full);
        Assert.Equal("1,2 1 1", got);
    }

    private static byte[] Repeat(byte[] bytes, int count) => [.. Enumerable.Repeat(bytes, count).SelectMany(static part => part)];

    /// <summary>A collection whose count is wrong, as that of one is that another thread changes.</summary>
    private sealed class Miscounted : ICollection<string>
    {
        public int Count => 3;

        public bool IsReadOnly => true;

        public IEnumerator<string> GetEnumerator() => ((IEnumerable<string>)["a"]).GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        public bool Contains(string item) => false;

        public void CopyTo(string[] array, int arrayIndex) => throw new NotSupportedException();

        public void Add(string item) => throw new NotSupportedException();

        public bool Remove(string item) => throw new NotSupportedException();

        public void Clear() => throw new NotSupportedException();
    }
}
