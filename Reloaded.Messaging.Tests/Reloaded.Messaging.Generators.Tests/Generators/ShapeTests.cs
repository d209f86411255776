using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class ShapeTests
{
    private const string Three = "public int A; public string? B; public List<int>? C;";

    [Fact]
    public void A_field_at_the_end_leaves_those_before_it_as_they_were()
    {
        var (before, after) = (Shape(Three), Shape(Three + "public long D;"));

        Assert.Equal(3, before.Length);
        Assert.Equal(before, after[..3]);
        Assert.Equal([1, 2, 3, 4], after.Select(static field => field.Number));
    }

    [Theory]
    [InlineData("public long A; public string? B; public List<int>? C;", 0)] // another type
    [InlineData("public int A; public string? B2; public List<int>? C;", 1)] // another name
    [InlineData("public int A; public string? B; public List<uint>? C;", 2)] // other items
    [InlineData("public int A; public List<int>? C; public string? B;", 1)] // another order
    [InlineData("public string? B; public List<int>? C;", 0)] // one removed
    [InlineData("public int A; public string? B; public Dictionary<int, int>? C;", 2)]
    [InlineData("public int A; public int? B; public List<int>? C;", 1)]
    public void A_change_shows_from_its_field_on(string changed, int first)
    {
        var (before, after) = (Shape(Three), Shape(changed));

        Assert.Equal(before[..first], after[..first]);
        for (var i = first; i < Math.Min(before.Length, after.Length); i++)
            Assert.NotEqual(before[i], after[i]);
    }

    [Theory]
    [InlineData("public int A { get; set; } public string B { get; set; } = \"\"; public int[] C { get; set; } = [];")]
    [InlineData("public enum E { } public E A; [Interned] public string? B; [Secret] public List<E>? C;")]
    public void What_is_written_alike_has_one_shape(string changed) => Assert.Equal(Shape(Three), Shape(changed));

    [Fact]
    public void A_message_inside_counts_by_its_id()
    {
        const string Inside = " } [Message(7)] public class Inner { public int X;";
        var before = Shape("public Inner? A;" + Inside);

        Assert.Equal(before, Shape("public Inner? A;" + Inside + "public string? More;"));
        Assert.NotEqual(before, Shape("public Inner? A;" + Inside.Replace("7", "8")));
    }

    [Fact]
    public void A_version_tolerant_message_knows_fields_by_number_and_type_only()
    {
        const string Tolerant = "[Message(1, VersionTolerant = true)]";
        var before = Shape("[MessageField(1)] public int A; [MessageField(5)] public string? B;", Tolerant);

        Assert.Equal([1, 5], before.Select(static field => field.Number));
        Assert.Equal(before, Shape("[MessageField(5)] public string? Renamed; [MessageField(1)] public int A;", Tolerant));
        Assert.Equal(before[1..], Shape("[MessageField(5)] public string? B;", Tolerant));
        Assert.NotEqual(before[0], Shape("[MessageField(1)] public long A;", Tolerant)[0]);
        Assert.NotEqual(before[0].Hash, Shape("public int A;")[0].Hash);
    }

    [Fact]
    public void A_union_has_an_entry_a_tag_in_their_order()
    {
        const string Cases = "[Message(8)] public class C : M { } [Message(9)] public class D : M { }";
        var before = Shape("} " + Cases.TrimEnd('}'), "[Message(1), MessageUnion(0, typeof(C)), MessageUnion(6, typeof(D))]", "abstract class");

        Assert.Equal([1, 7], before.Select(static field => field.Number));
        Assert.Equal(before, Shape("} " + Cases.TrimEnd('}'), "[Message(1), MessageUnion(6, typeof(D)), MessageUnion(0, typeof(C))]", "abstract class"));
    }

    private static (int Number, uint Hash)[] Shape(string members, string attribute = "[Message(1)]", string kind = "class")
    {
        var files = GeneratorRunner.Generate($"{Sources.Usings} {attribute} public {kind} M {{ {members} }}");
        var contract = files.Single(static file => file.Key.StartsWith("MSerializer.", StringComparison.Ordinal)).Value;
        var entries = Regex.Match(contract, @"new ulong\[\] \{ (.*) \}").Groups[1].Value;
        return [.. Entries(entries).Select(static entry => ((int)(entry >> 32), (uint)entry))];
    }

    private static IEnumerable<ulong> Entries(string code) => Regex.Matches(code, "0x([0-9A-F]+)UL").Select(static match => Convert.ToUInt64(match.Groups[1].Value, 16));
}
