using System.Collections.Immutable;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Message]
public sealed record SetForm(HashSet<int> Value);

[Message]
public sealed record NamesForm(HashSet<string?>? Value);

[Message]
public sealed record ReadOnlyForm(IReadOnlyList<int> Value);

[Message]
public sealed record ReadOnlyNamesForm(IReadOnlyList<string> Value);

[Message]
public sealed record ImmutableForm(ImmutableArray<int> Value);

[Message]
public sealed record ImmutableNamesForm(ImmutableArray<string> Value);

[Message]
public sealed record MemoryForm(ReadOnlyMemory<byte> Value);

[Message]
public sealed record UriForm(Uri? Value);

[Message]
public sealed record VersionForm(Version Value);

[Message]
public sealed record RequiredUriForm(Uri Value);

[Message]
public sealed record UrisForm(List<Uri?> Value);

[Message]
public sealed record TupleKeysForm(Dictionary<(int Row, string Column), (Square? Inner, Shift[] Path)> Value);

[Message(Pooled = true)]
public sealed class PooledCollectionTypes
{
    public HashSet<string> Names { get; set; } = [];
    public ImmutableArray<int> Numbers { get; set; } = [7];
    public ReadOnlyMemory<byte> Bytes { get; set; }
    public IReadOnlyList<int> List { get; set; } = [8];
    public (int Id, List<int> More) Pair { get; set; } = (9, [9]);
    public Uri Address { get; set; } = new("my:b");
}

/// <summary>The types that are sent as a list, a string or items in a row. What they look like on the wire is that of the plain type.</summary>
public sealed class CollectionTypeTests
{
    private static readonly int[] s_numbers = [3, 1, 2];
    private static readonly string[] s_names = ["c", "a"];

    [Fact]
    public void Lists_of_numbers_are_sent_as_an_array_is()
    {
        var bytes = Payload.Of(new ArrayForm(s_numbers));

        Assert.Equal(bytes, Payload.Of(new SetForm([.. s_numbers])));
        Assert.Equal(bytes, Payload.Of(new ReadOnlyForm(s_numbers)));
        Assert.Equal(bytes, Payload.Of(new ReadOnlyForm(s_numbers.ToList())));
        Assert.Equal(bytes, Payload.Of(new ReadOnlyForm(s_numbers.ToImmutableList())));
        Assert.Equal(bytes, Payload.Of(new ImmutableForm([.. s_numbers])));
        Assert.Equal(s_numbers, Payload.Read<SetForm>(bytes).Value);
        Assert.Equal(s_numbers, Payload.Read<ReadOnlyForm>(bytes).Value);
        Assert.Equal(s_numbers, Payload.Read<ImmutableForm>(bytes).Value);
    }

    [Fact]
    public void Lists_of_strings_are_sent_as_a_list_is()
    {
        var bytes = Payload.Of(new ListForm([.. s_names]));

        Assert.Equal(bytes, Payload.Of(new NamesForm([.. s_names])));
        Assert.Equal(bytes, Payload.Of(new ReadOnlyNamesForm(s_names)));
        Assert.Equal(bytes, Payload.Of(new ImmutableNamesForm([.. s_names])));
        Assert.Equal(s_names, Payload.Read<NamesForm>(bytes).Value!);
        Assert.Equal(s_names, Payload.Read<ReadOnlyNamesForm>(bytes).Value);
        Assert.Equal(s_names, Payload.Read<ImmutableNamesForm>(bytes).Value);
    }

    [Fact]
    public void Memory_is_sent_as_bytes_are_and_read_into_an_array_that_fits()
    {
        var bytes = Payload.Of(new MemoryForm(new byte[] { 1, 2, 3 }.AsMemory(1)));

        Assert.Equal(Payload.Of(new BytesForm([2, 3])), bytes);
        Assert.Equal([2, 3], Payload.Read<MemoryForm>(bytes).Value.ToArray());
    }

    [Fact]
    public void Null_in_a_set_is_an_item() => Assert.Equal([null, "a"], Payload.Read<NamesForm>(Payload.Of(new NamesForm([null, "a"]))).Value!);

    [Fact]
    public void Immutable_array_that_was_never_set_is_sent_as_an_empty_one() =>
        Assert.Equal([], Payload.Read<ImmutableForm>(Payload.Of(new ImmutableForm(default))).Value);

    [Theory]
    [InlineData("03 01 00 00 00 01 00 00 00")] // an item twice
    [InlineData("00")] // null
    [InlineData("03 01 00 00 00")] // too short
    public void Malformed_set_is_refused(string bytes) => Assert.False(Payload.TryRead<SetForm>(PageTable.Bytes(bytes), out _));

    [Fact]
    public void Set_with_null_twice_is_refused() => Assert.False(Payload.TryRead<NamesForm>([3, 0, 0], out _));

    [Fact]
    public void Items_of_a_set_that_were_chosen_to_collide_get_another_comparer()
    {
        const int Count = 20_000;
        var buckets = new HashSet<int>(Count).EnsureCapacity(0);
        var colliding = Enumerable.Range(0, Count).Select(i => i * buckets).ToArray();

        var read = Payload.Read<SetForm>(Payload.Of(new ReadOnlyForm(colliding))).Value;

        Assert.Equal(colliding, read);
        Assert.NotSame(EqualityComparer<int>.Default, read.Comparer);
        Assert.False(Payload.TryRead<SetForm>(Payload.Of(new ReadOnlyForm([.. colliding, colliding[5]])), out _));
    }

    [Fact]
    public void Null_is_refused_for_types_that_are_never_null()
    {
        Assert.False(Payload.TryRead<ReadOnlyForm>([0], out _));
        Assert.False(Payload.TryRead<ImmutableForm>([0], out _));
        Assert.False(Payload.TryRead<MemoryForm>([0], out _));
        Assert.False(Payload.TryRead<RequiredUriForm>([0], out _));
        Assert.False(Payload.TryRead<VersionForm>([0], out _));
    }

    [Fact]
    public void Missing_values_are_empty()
    {
        Assert.Empty(Payload.Read<SetForm>([]).Value);
        Assert.Empty(Payload.Read<ReadOnlyForm>([]).Value);
        Assert.Equal([], Payload.Read<ImmutableForm>([]).Value);
        Assert.True(Payload.Read<MemoryForm>([]).Value.IsEmpty);
        Assert.Equal("", Payload.Read<RequiredUriForm>([]).Value.OriginalString);
        Assert.Equal(new Version(0, 0), Payload.Read<VersionForm>([]).Value);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("1.2.3.4.5")]
    [InlineData("1.-2")]
    [InlineData("")]
    public void Text_that_is_no_version_is_refused(string text) => Assert.False(Payload.TryRead<VersionForm>(Payload.Of(new RequiredForm(text)), out _));

    [Fact]
    public void Text_that_is_no_address_is_refused() => Assert.False(Payload.TryRead<UriForm>(Payload.Of(new RequiredForm("http://[")), out _));

    [Fact]
    public void Address_and_version_are_sent_as_a_string_is()
    {
        Assert.Equal(Payload.Of(new StringForm("/m?q=ß")), Payload.Of(new UriForm(new Uri("/m?q=ß", UriKind.Relative))));
        Assert.Equal(Payload.Of(new StringForm(null)), Payload.Of(new UriForm(null)));
        Assert.Equal(Payload.Of(new StringForm("1.2.3")), Payload.Of(new VersionForm(new Version(1, 2, 3))));
        Assert.Equal(new Version(1, 2, 3), Payload.Read<VersionForm>(Payload.Of(new StringForm("1.2.3"))).Value);
    }

    [Fact]
    public void Address_is_read_as_it_was_written()
    {
        foreach (var text in new[] { "https://Example.org:443/a b/../c?q=%41#x", "mods/a.dll", "", "file:///tmp/x" })
        {
            var address = new Uri(text, UriKind.RelativeOrAbsolute);
            Assert.Equal(address.OriginalString, Payload.Read<UriForm>(Payload.Of(new UriForm(address))).Value!.OriginalString);
        }
    }

    [Fact]
    public void Tuples_are_keys_and_hold_messages()
    {
        var sent = new TupleKeysForm(new() { [(1, "a")] = (new Square(2), [new Shift(1, 2, 3)]), [(1, "b")] = (null, []) });

        var read = Payload.Read<TupleKeysForm>(Payload.Of(sent)).Value;

        Assert.Equal(sent.Value.Keys, read.Keys);
        Assert.Equal(2, read[(1, "a")].Inner!.Side);
        Assert.Equal(new Shift(1, 2, 3), Assert.Single(read[(1, "a")].Path));
        Assert.Null(read[(1, "b")].Inner);
    }

    [Fact]
    public void Pooled_message_reuses_its_set_and_resets_the_rest() => Uncollected.Run(static () =>
    {
        var got = "";
        var sets = new List<HashSet<string>>();
        var receiver = new PooledReceiver<PooledCollectionTypes>(message =>
        {
            sets.Add(message.Names);
            got = $"{string.Join(',', message.Names)} {message.Numbers.Length} {message.Bytes.Length} {message.List.Count} {message.Pair.Id} {message.Address}";
        });
        var full = Payload.Of(new PooledCollectionTypes { Names = ["x", "y"], Numbers = [1, 2], Bytes = new byte[3], List = [1, 2, 3, 4], Pair = (5, [1]), Address = new Uri("my:d") });

        receiver.Receive(full);
        Assert.Equal("x,y 2 3 4 5 my:d", got);
        receiver.Receive([]);
        Assert.Equal(" 0 0 0 0 my:b", got);
        receiver.Receive(full);
        Assert.Equal("x,y 2 3 4 5 my:d", got);
        Assert.Same(sets[0], sets[2]);
    });
}
