using System.Numerics;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Every value that docs/specification/binary-format.md names.</summary>
internal static class WireSamples
{
    private static readonly DateTime s_noon = new(2000, 1, 1, 12, 0, 0);

    public static List<WireSample> All { get; } =
    [
        Of("-1", new SByteForm(-1)),
        Of("200", new ByteForm(200)),
        Of("-2", new Int16Form(-2)),
        Of("258", new UInt16Form(258)),
        Of("-2", new Int32Form(-2)),
        Of("305419896", new UInt32Form(305419896)),
        Of("the smallest", new Int64Form(long.MinValue)),
        Of("81985529216486895", new UInt64Form(81985529216486895)),
        Of("1.5", new SingleForm(1.5f)),
        Of("-2.5", new DoubleForm(-2.5)),
        Of("ß, U+00DF", new CharForm('ß')),
        Of("300, of an enum of short", new EnumForm(Level.High)),
        Of("false", new BooleanForm(false)),
        Of("true", new BooleanForm(true)),
        Of("00112233-4455-6677-8899-aabbccddeeff", new GuidForm(Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"))),
        Of("1 second", new TimeSpanForm(TimeSpan.FromSeconds(1))),
        Of("-12.345", new DecimalForm(-12.345m)),
        Of("0.0, negative", new DecimalForm(new decimal(0, 0, 0, true, 1))),
        Of("the largest", new DecimalForm(decimal.MaxValue)),
        Of("2000-01-01 12:00, no kind", new DateTimeForm(s_noon)),
        Of("2000-01-01 12:00 UTC", new DateTimeForm(DateTime.SpecifyKind(s_noon, DateTimeKind.Utc))),
        Of("2000-01-01 12:00 UTC, as local time", new DateTimeForm(DateTime.SpecifyKind(s_noon, DateTimeKind.Utc).ToLocalTime())),
        Of("2000-01-01 12:00 -05:30", new DateTimeOffsetForm(new DateTimeOffset(s_noon, TimeSpan.FromHours(-5.5)))),
        Of("X 1, Y 2, Z 3; no message", new StructForm(new Vector3(1, 2, 3))),
        Of("X 1, Y 2, Z 3, Angle 4; no message", new PlacementForm(new Placement(new Vector3(1, 2, 3), 4))),
        Of("X 1, Y 2, Z 3", new ShiftForm(new Shift(1, 2, 3))),
        Of("X 0, Y 0, Z 0", new ShiftForm(default)),
        Of("null", new StringForm(null)),
        Of("empty", new StringForm("")),
        Of("hi", new StringForm("hi")),
        Of("ß€😀", new StringForm("ß€😀")),
        Of("127 times a", new StringForm(new string('a', 127))),
        Of("hi", new RequiredForm("hi")),
        Of("hi", new InternedForm("hi")),
        Of("null", new NullableForm(null)),
        Of("5", new NullableForm(5)),
        Of("null", new ArrayForm(null)),
        Of("empty", new ArrayForm([])),
        Of("1, 2", new ArrayForm([1, 2])),
        Of("AA, BB", new BytesForm([0xAA, 0xBB])),
        Of("true, false", new FlagsForm([true, false])),
        Of("a, null", new ListForm(["a", null])),
        Of("one of 1; an empty one", new JaggedForm([[1], []])),
        Of("5, null", new NullablesForm([5, null])),
        Of("two of X, Y, Z; no messages", new StructsForm([new Vector3(1, 2, 3), new Vector3(4, 5, 6)])),
        Of("the same, of a struct that is a message", new MessagesForm([new Shift(1, 2, 3), new Shift(4, 5, 6)])),
        Of("a is 1, b is 2", new DictionaryForm(new() { ["a"] = 1, ["b"] = 2 })),
        Of("a is 1, b is null", new OptionalsForm(new() { ["a"] = 1, ["b"] = null })),
        Of("hi, 5", new TupleForm(("hi", 5))),
        Of("null, null", new TupleForm((null, null))),
        Of("null", new NestedForm(null)),
        Of("a message without fields", new NestedForm(new Empty())),
        Of("Side 1, Color red", new NestedSquareForm(new Square(1))),
        Of("Side 1, Color blue", new NestedSquareForm(new Square(1, "blue"))),
        Of("Side 1, Color red", new NestedRequiredForm(new Square(1))),
        Of("null", new UnionForm(null)),
        Of("a Circle of Radius 1", new UnionForm(new Circle(1))),
        Of("a Square of Side 1, Color red", new UnionForm(new Square(1))),
        Of("a Square of Side 1, Color red; Total 5", new PageForm(new([new Square(1)], 5))),
        Of("a Square of Side 1, Color red; Total 3", new PageForm(new([new Square(1)]))),
        Of("1, 2; Total 5", new Page<int>([1, 2], 5)),
        Of("1; Total 3", new Page<int>([1])),
        Of("21.5 degrees", new ConvertedForm(new(21.5))),
        Of("null", new MarkForm(null)),
        Of("the number 7", new MarkForm(new(7))),
        Of("_value 5, Text hi", HiddenForm.Of(5, "hi")),
        Of("_value 5, Text empty", HiddenForm.Of(5, "")),
        Of("Shown hi, Value 5", new InheritedForm { Shown = "hi", Value = 5 }),
        Of("1 to 2", new GenericStructForm(new(1, 2))),
        Of("null", new GridForm(null)),
        Of("two rows of one item: 1, 2", new GridForm(new[,] { { 1 }, { 2 } })),
        Of("a is 1", new EntryForm(new("a", 1))),
        Of("1 on top of 2", new StackForm(new([2, 1]))),
        Of("null", new EndPointForm(null)),
        Of("127.0.0.1, port 80", new EndPointForm(new(System.Net.IPAddress.Loopback, 80))),
        Of("258", new IntegerForm(258)),
        Of("IsOn true, Count 5", new FlaggedForm(new() { IsOn = true, Count = 5 })),
        Of("5", new NumberedForm(5)),
        Of("0", new NumberedForm(0)),
        Of("no fields", new Empty()),
        Of("X 1, Y 2, Z 3", new Shift(1, 2, 3)),
        Of("X 1, Y 2, Z 0", new Shift(1, 2, 0)),
        Of("X 0, Y 0, Z 0", default(Shift)),
        Of("Side 1, Color red", new Square(1)),
        Of("Side 0, Color red", new Square(0)),
        Of("Side 1, Color blue", new Square(1, "blue")),
        Of<Figure>("a Circle of Radius 1", new Circle(1)),
        Of("Number 5, Text a, Numbers null", new Tolerant(5, "a", null)),
        Of("Number 5, Text empty, Numbers null", new Tolerant(5, "", null)),
        Of("Number 0, Text empty, Numbers null", new Tolerant(0, "", null)),
    ];

    public static WireSample Find(string message, string words) =>
        All.Find(sample => sample.Message == message && sample.Words == words)
            ?? throw new InvalidOperationException($"docs/specification/binary-format.md has a {message} of '{words}', and WireSamples has none.");

    public static WireSample Find(string message) =>
        All.Find(sample => sample.Message == message) ?? throw new InvalidOperationException($"docs/specification/binary-format.md has a {message}, and WireSamples has none.");

    private static WireSample<T> Of<T>(string words, T value) => new(words, value);
}
