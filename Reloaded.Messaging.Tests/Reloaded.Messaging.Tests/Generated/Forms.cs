using System.Net;
using System.Numerics;
using Reloaded.Messaging;
using Reloaded.Messaging.Tests.Generated;

[assembly: GenericMessage(typeof(Page<int>), 210)]

namespace Reloaded.Messaging.Tests.Generated;

// One message for each form in docs/specification/binary-format.md, whose payload is that form alone.

[Message]
public sealed record SByteForm(sbyte Value);

[Message]
public sealed record ByteForm(byte Value);

[Message]
public sealed record Int16Form(short Value);

[Message]
public sealed record UInt16Form(ushort Value);

[Message]
public sealed record Int32Form(int Value);

[Message]
public sealed record UInt32Form(uint Value);

[Message]
public sealed record Int64Form(long Value);

[Message]
public sealed record UInt64Form(ulong Value);

[Message]
public sealed record SingleForm(float Value);

[Message]
public sealed record DoubleForm(double Value);

[Message]
public sealed record CharForm(char Value);

[Message]
public sealed record EnumForm(Level Value);

[Message]
public sealed record BooleanForm(bool Value);

[Message]
public sealed record GuidForm(Guid Value);

[Message]
public sealed record TimeSpanForm(TimeSpan Value);

[Message]
public sealed record DecimalForm(decimal Value);

[Message]
public sealed record DateTimeForm(DateTime Value);

[Message]
public sealed record DateTimeOffsetForm(DateTimeOffset Value);

[Message]
public sealed record StructForm(Vector3 Value);

[Message]
public sealed record PlacementForm(Placement Value);

[Message]
public sealed record ShiftForm(Shift Value);

[Message]
public sealed record StringForm(string? Value);

[Message]
public sealed record RequiredForm(string Value);

[Message]
public sealed record InternedForm([Interned] string? Value);

[Message]
public sealed record NullableForm(int? Value);

[Message]
public sealed record ArrayForm(int[]? Value);

[Message]
public sealed record BytesForm(byte[]? Value);

[Message]
public sealed record FlagsForm(bool[]? Value);

[Message]
public sealed record ListForm(List<string?> Value);

[Message]
public sealed record JaggedForm(int[][] Value);

[Message]
public sealed record NullablesForm(List<int?> Value);

[Message]
public sealed record StructsForm(Vector3[] Value);

[Message]
public sealed record MessagesForm(Shift[] Value);

[Message]
public sealed record DictionaryForm(Dictionary<string, int> Value);

[Message]
public sealed record OptionalsForm(Dictionary<string, int?> Value);

[Message]
public sealed record TupleForm((string? Name, int? Count) Value);

[Message]
public sealed record NestedForm(Empty? Value);

[Message]
public sealed record NestedSquareForm(Square? Value);

[Message]
public sealed record NestedRequiredForm(Square Value);

[Message]
public sealed record UnionForm(Figure? Value);

[Message]
public sealed record PageForm(Page<Square> Value);

[Message]
public sealed record Page<T>(List<T> Items, int Total = 3);

[Message]
public sealed record ConvertedForm([property: MessageConverter(typeof(Celsius))] Temperature Value);

[Message]
public sealed record MarkForm([property: MessageConverter(typeof(MarkConverter))] Mark? Value);

[Message]
public sealed partial class HiddenForm
{
    [MessageInclude]
    private int _value;

    public string Text { get; private set; } = "";

    public static HiddenForm Of(int value, string text) => new() { _value = value, Text = text };
}

[Message]
public sealed class InheritedForm : Holder<int>
{
    public new string Shown { get; set; } = "";
}

[Message]
public sealed record GenericStructForm(Interval<short> Value);

[Message]
public sealed record GridForm(int[,]? Value);

[Message]
public sealed record EntryForm(KeyValuePair<string, int> Value);

[Message]
public sealed record StackForm(Stack<int> Value);

[Message]
public sealed record EndPointForm(IPEndPoint? Value);

[Message]
public sealed record IntegerForm(BigInteger Value);

[Message]
public sealed record FlaggedForm(Flagged Value);

[Message(VersionTolerant = true)]
public sealed record NumberedForm([MessageField(0)] int Value);

[Message]
public sealed record Empty;

/// <summary>A base class with a member that <see cref="InheritedForm"/> hides, and another one.</summary>
public abstract class Holder<T>
{
    public T? Shown { get; set; }

    public T? Value { get; set; }
}

public readonly record struct Interval<T>(T From, T To)
    where T : unmanaged;

/// <summary>A struct with padding and a flag, which is sent field by field.</summary>
public struct Flagged
{
    public bool IsOn;
    public int Count;
}

public readonly record struct Temperature(double Degrees);

/// <summary>A temperature is sent as tenths of a degree.</summary>
public static class Celsius
{
    public static short ToSurrogate(Temperature value) => (short)Math.Round(value.Degrees * 10);

    public static bool TryFromSurrogate(short surrogate, out Temperature value)
    {
        value = new(surrogate / 10.0);
        return true;
    }
}

public sealed record Mark(int Number);

/// <summary>A class is sent as a number.</summary>
public static class MarkConverter
{
    public static int ToSurrogate(Mark value) => value.Number;

    public static bool TryFromSurrogate(int surrogate, out Mark value)
    {
        value = new(surrogate);
        return true;
    }
}
