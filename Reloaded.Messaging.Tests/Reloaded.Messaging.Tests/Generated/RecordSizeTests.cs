using System.Globalization;
using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>The record of docs/specification/binary-format.md whose size is compared with that of MessagePack.</summary>
[Message]
public sealed record WidePlayer(int Id, string Name, int Level, long Experience, float X, float Y, float Z, bool IsOnline, List<WideItem> Items, List<string> Tags, int[] Scores);

[Message]
public sealed record WideItem(int Id, string Name, int Count, float Weight);

/// <summary>The same record with the smallest types that hold the values.</summary>
[Message]
public sealed record NarrowPlayer(ushort Id, string Name, byte Level, uint Experience, float X, float Y, float Z, bool IsOnline, List<NarrowItem> Items, List<string> Tags, ushort[] Scores);

[Message]
public sealed record NarrowItem(ushort Id, string Name, byte Count, float Weight);

public sealed class RecordSizeTests
{
    private static readonly int[] s_numbers = [.. Enumerable.Range(0, 16)];
    private static readonly List<string> s_tags = ["veteran", "guild-leader", "crafter", "early-access"];

    [Fact]
    public void Record_has_the_size_that_the_page_explains()
    {
        var rows = BinaryFormatPage.Table("The record");
        var wide = new WidePlayer(48_213, "Aurelia of the Northern Reach", 62, 1_284_990, 1024.5f, 33.25f, -817.75f, true, [.. s_numbers.Take(8).Select(static i => new WideItem(1000 + (37 * i), $"Potion of Greater Healing {i}", 1 + (i * 3), i))], s_tags, [.. s_numbers.Select(static i => i * i * 91)]);

        Assert.Equal(496, Payload.Of(wide).Length);
        Assert.Equal(496, Sum(1));
        Assert.Equal(451, Sum(2));

        int Sum(int column) => rows.Sum(row => int.Parse(row[column], CultureInfo.InvariantCulture));
    }

    [Fact]
    public void Record_of_smaller_types_is_smaller()
    {
        var narrow = new NarrowPlayer(48_213, "Aurelia of the Northern Reach", 62, 1_284_990, 1024.5f, 33.25f, -817.75f, true, [.. s_numbers.Take(8).Select(static i => new NarrowItem((ushort)(1000 + (37 * i)), $"Potion of Greater Healing {i}", (byte)(1 + (i * 3)), i))], s_tags, [.. s_numbers.Select(static i => (ushort)(i * i * 91))]);

        Assert.Equal(415, Payload.Of(narrow).Length);
    }
}
