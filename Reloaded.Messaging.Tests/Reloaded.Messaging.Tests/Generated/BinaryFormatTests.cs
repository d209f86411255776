using System.Globalization;
using System.Text;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class BinaryFormatTests
{
    private const string Vectors = "Valid payloads";
    private const string Checked = "Valid payloads with more rules";
    private const string Others = "Payloads of other versions";

    public static TheoryData<string, string, string> Valid { get; } = [.. Read(Vectors), .. Read(Checked)];

    public static TheoryData<string, string, string> OtherVersions { get; } = Read(Others);

    public static TheoryData<string, string, string> Malformed { get; } = Read("Malformed payloads");

    public static TheoryData<string, uint> Ids { get; } = ReadIds();

    [Theory]
    [MemberData(nameof(Valid))]
    public void A_documented_payload_is_written_and_read_to_the_byte(string message, string words, string hex)
    {
        var sample = WireSamples.Find(message, words);
        Assert.Equal(BinaryFormatPage.Bytes(hex), sample.Encode());
        sample.AssertIsRead(BinaryFormatPage.Bytes(hex));
    }

    [Theory]
    [MemberData(nameof(OtherVersions))]
    public void A_documented_payload_of_another_version_is_read(string message, string words, string hex) =>
        WireSamples.Find(message, words).AssertIsRead(BinaryFormatPage.Bytes(hex));

    [Theory]
    [MemberData(nameof(Malformed))]
    public void A_documented_malformed_payload_is_refused(string message, string hex, string why) =>
        Assert.False(WireSamples.Find(message).CanRead(BinaryFormatPage.Bytes(hex)), why);

    [Fact]
    public void Every_sample_is_documented()
    {
        var rows = new HashSet<(string, string)>();
        foreach (var row in BinaryFormatPage.Table(Vectors))
            rows.Add((row[0], row[1]));
        foreach (var row in BinaryFormatPage.Table(Checked))
            rows.Add((row[0], row[1]));
        foreach (var row in BinaryFormatPage.Table(Others))
            rows.Add((row[0], row[1]));
        Assert.All(WireSamples.All, sample => Assert.Contains((sample.Message, sample.Words), rows));
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void A_documented_id_is_what_the_formula_gives(string name, uint id)
    {
        Assert.Equal(id, 2097152 + (Fnv(name) % 266338304));
        if (name == typeof(Everything).FullName)
            Assert.Equal(id, MessageContract.GetDeclared<Everything>().Type);
        if (name == typeof(StringForm).FullName)
            Assert.Equal(id, MessageContract.GetDeclared<StringForm>().Type);
    }

    [Fact]
    public void The_documented_shapes_are_those_of_the_messages()
    {
        var shapes = new Dictionary<string, MessageShape>
        {
            ["Square"] = MessageContract.GetDeclared<Square>().Shape!,
            ["Shift"] = MessageContract.GetDeclared<Shift>().Shape!,
            ["PlacementForm"] = MessageContract.GetDeclared<PlacementForm>().Shape!,
            ["DictionaryForm"] = MessageContract.GetDeclared<DictionaryForm>().Shape!,
            ["TupleForm"] = MessageContract.GetDeclared<TupleForm>().Shape!,
            ["UnionForm"] = MessageContract.GetDeclared<UnionForm>().Shape!,
            ["Tolerant"] = MessageContract.GetDeclared<Tolerant>().Shape!,
            ["Figure"] = MessageContract.GetDeclared<Figure>().Shape!,
        };
        var next = new Dictionary<string, int>();
        foreach (var row in BinaryFormatPage.Table("Shapes"))
        {
            var index = next.GetValueOrDefault(row[0]);
            next[row[0]] = index + 1;
            Assert.Equal(row[1], shapes[row[0]].GetName(index));
            Assert.Equal(row[3], shapes[row[0]].Fields[index].ToString("X16", CultureInfo.InvariantCulture));
        }

        Assert.All(shapes, shape => Assert.Equal(shape.Value.Fields.Length, next[shape.Key]));
    }

    [Fact]
    public void The_documented_layouts_are_those_of_the_messages()
    {
        var layouts = new Dictionary<string, string?>
        {
            ["Square"] = MessageContract.GetDeclared<Square>().Shape!.Layout,
            ["PlacementForm"] = MessageContract.GetDeclared<PlacementForm>().Shape!.Layout,
            ["TupleForm"] = MessageContract.GetDeclared<TupleForm>().Shape!.Layout,
            ["Tolerant"] = MessageContract.GetDeclared<Tolerant>().Shape!.Layout,
            ["UnionForm"] = MessageContract.GetDeclared<UnionForm>().Shape!.Layout,
            ["WaitForm"] = MessageContract.GetDeclared<WaitForm>().Shape!.Layout,
            ["QueueForm"] = MessageContract.GetDeclared<QueueForm>().Shape!.Layout,
            ["TableForm"] = MessageContract.GetDeclared<TableForm>().Shape!.Layout,
            ["Figure"] = MessageContract.GetDeclared<Figure>().Shape!.Layout,
        };
        foreach (var row in BinaryFormatPage.Table("Layouts"))
            Assert.Equal($"`{layouts[row[0]]}`", row[1].StartsWith('`') ? row[1] : $"`{row[1]}`");
        Assert.Equal(layouts.Count, BinaryFormatPage.Table("Layouts").Count);
    }

    private static uint Fnv(string text)
    {
        var hash = 2166136261;
        foreach (var part in Encoding.UTF8.GetBytes(text + "\0"))
            hash = (hash ^ part) * 16777619;
        return hash;
    }

    private static TheoryData<string, string, string> Read(string heading)
    {
        var data = new TheoryData<string, string, string>();
        foreach (var row in BinaryFormatPage.Table(heading))
            data.Add(row[0], row[1], row[2]);
        return data;
    }

    private static TheoryData<string, uint> ReadIds()
    {
        var data = new TheoryData<string, uint>();
        foreach (var row in BinaryFormatPage.Table("Derived ids"))
            data.Add(row[0], uint.Parse(row[1], CultureInfo.InvariantCulture));
        return data;
    }
}
