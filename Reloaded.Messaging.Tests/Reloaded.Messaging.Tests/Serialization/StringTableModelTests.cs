using System.Globalization;
using System.Linq;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>A table of strings, compared with a dictionary: each string is found or was replaced for a reason.</summary>
public sealed class StringTableModelTests
{
    [Fact]
    public void StringTable_is_a_dictionary_that_replaces_one_entry_of_full_sets()
    {
        ModelRun.Compare(200, 600, static random =>
        {
            var sets = random.Pick([1, 2, 4, 16]);
            var (table, model, hits, isClocked) = (new StringTable(sets), new Dictionary<int, ulong>(), new HashSet<int>(), false);
            var hashes = Enumerable.Range(0, 3 * table.Capacity).Select(_ => ((ulong)random.Next(sets) << 32) | (uint)random.Next(2 * sets)).ToArray();
            Assert.Equal(sets * StringTable.Ways, table.Capacity);
            return () =>
            {
                var number = random.Next(random.Pick([2, table.Capacity / 2, hashes.Length]));
                var text = number.ToString(CultureInfo.InvariantCulture);
                if (random.Next(30) == 0)
                {
                    table.Trim();
                    foreach (var one in model.Keys.Where(one => !hits.Contains(one) || isClocked).ToArray())
                    {
                        var isThere = IsThere(one);
                        Assert.False(isThere && !hits.Contains(one));
                        if (!isThere)
                            model.Remove(one);
                    }

                    hits.Clear();
                    (text, isClocked) = ("Trim", false);
                }
                else if (table.TryGet(hashes[number], Encoding.UTF8.GetBytes(text), out var found))
                {
                    Assert.True(model.ContainsKey(number));
                    Assert.Equal(text, found);
                    hits.Add(number);
                }
                else
                {
                    Assert.False(model.ContainsKey(number));
                    table.Add(hashes[number], Encoding.UTF8.GetBytes(text), text);
                    if (table.Count == model.Count)
                    {
                        // Both sets were full, of strings with a place in one of them.
                        var (first, second) = (hashes[number] & (uint)(sets - 1), hashes[number] >> 32);
                        Assert.True(model.Values.Count(hash => Array.Exists([hash & (uint)(sets - 1), hash >> 32], one => one == first || one == second)) >= (first == second ? 1 : 2) * StringTable.Ways);
                        var replaced = Assert.Single(model.Keys, one => !IsThere(one));
                        model.Remove(replaced);
                        hits.Remove(replaced);
                        isClocked = true; // other marks may be gone
                    }

                    model.Add(number, hashes[number]);
                }

                Assert.Equal(model.Count, table.Count);
                if (random.Next(10) == 0)
                    Assert.All(model.Keys, one => Assert.True(IsThere(one)));
                return text;
            };

            // Also counts as a hit.
            bool IsThere(int number)
            {
                if (!table.TryGet(hashes[number], Encoding.UTF8.GetBytes(number.ToString(CultureInfo.InvariantCulture)), out _))
                    return false;
                hits.Add(number);
                return true;
            }
        });
    }
}
