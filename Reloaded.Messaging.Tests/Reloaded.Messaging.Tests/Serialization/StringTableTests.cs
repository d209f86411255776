using System.Globalization;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>Mostly tables of one set, so that every string has the same four places.</summary>
public sealed class StringTableTests
{
    private const ulong SameHash = 7;
    private readonly StringTable _table = new(sets: 1);

    [Fact]
    public void Strings_with_the_same_hash_are_told_apart()
    {
        Add("a");
        Add("b");
        Add("aa");

        AssertFound("a");
        AssertFound("b");
        AssertFound("aa");
        Assert.False(Finds("c"));
    }

    [Fact]
    public void Strings_that_come_once_replace_one_another()
    {
        Add("kept");
        Assert.True(Finds("kept"));

        for (var i = 0; i < 1000; i++)
        {
            Add(i.ToString(CultureInfo.InvariantCulture));
            Assert.True(Finds("kept"));
        }

        Assert.Equal(_table.Capacity, _table.Count);
    }

    [Fact]
    public void A_string_that_is_no_longer_asked_for_is_replaced_in_the_end()
    {
        Add("old");
        Assert.True(Finds("old"));

        for (var i = 0; i < 2 * StringTable.Ways; i++)
            Add(i.ToString(CultureInfo.InvariantCulture));

        Assert.False(Finds("old"));
    }

    [Fact]
    public void A_new_string_gets_its_place_though_all_others_are_asked_for()
    {
        for (var i = 0; i < StringTable.Ways; i++)
        {
            Add(i.ToString(CultureInfo.InvariantCulture));
            Assert.True(Finds(i.ToString(CultureInfo.InvariantCulture)));
        }

        Add("new");

        Assert.True(Finds("new"));
    }

    [Fact]
    public void A_table_that_is_half_full_finds_every_string_whatever_its_hashes()
    {
        for (var seed = 0; seed < 50; seed++)
        {
            var random = new Random(seed);
            var table = new StringTable(sets: 256);
            var hashes = new ulong[table.Capacity / 2];
            for (var i = 0; i < hashes.Length; i++)
            {
                hashes[i] = (ulong)random.NextInt64();
                table.Add(hashes[i], BitConverter.GetBytes(i), i.ToString(CultureInfo.InvariantCulture));
            }

            for (var i = 0; i < hashes.Length; i++)
            {
                Assert.True(table.TryGet(hashes[i], BitConverter.GetBytes(i), out var found));
                Assert.Equal(i.ToString(CultureInfo.InvariantCulture), found);
            }

            Assert.Equal(hashes.Length, table.Count);
        }
    }

    [Fact]
    public async Task Threads_that_want_the_same_places_all_get_their_strings()
    {
        const int threads = 4;
        var texts = new string[3 * StringTable.Ways];
        for (var i = 0; i < texts.Length; i++)
            texts[i] = new string((char)('a' + i), 1 + (i % 5));

        var bytes = Array.ConvertAll(texts, Encoding.UTF8.GetBytes);
        var readers = new Task<int>[threads];
        for (var thread = 0; thread < threads; thread++)
        {
            var random = new Random(thread);
            readers[thread] = Deadline.RunAside(() =>
            {
                var hits = 0;
                for (var i = 0; i < 200_000; i++)
                {
                    var which = random.Next(random.Next(texts.Length) + 1);
                    if (_table.TryGet(SameHash, bytes[which], out var found))
                    {
                        Assert.Equal(texts[which], found);
                        hits++;
                    }
                    else
                    {
                        _table.Add(SameHash, bytes[which], Encoding.UTF8.GetString(bytes[which]));
                    }
                }

                return hits;
            });
        }

        var all = Task.WhenAll(readers);
        while (!all.IsCompleted)
            _table.Trim();

        foreach (var hits in await all.InTime())
            Assert.NotEqual(0, hits);
        Assert.InRange(_table.Count, 0, _table.Capacity);
    }

    [Fact]
    public void A_trim_spares_a_string_once_for_all_its_hits()
    {
        Add("a");
        for (var i = 0; i < 10; i++)
            Assert.True(Finds("a"));

        _table.Trim();
        Assert.Equal(1, _table.Count);

        _table.Trim();
        Assert.Equal(0, _table.Count);
        Assert.False(Finds("a"));
    }

    private void Add(string text) => _table.Add(SameHash, Encoding.UTF8.GetBytes(text), text);

    private bool Finds(string text) => _table.TryGet(SameHash, Encoding.UTF8.GetBytes(text), out _);

    private void AssertFound(string text)
    {
        Assert.True(_table.TryGet(SameHash, Encoding.UTF8.GetBytes(text), out var found));
        Assert.Equal(text, found);
    }
}
