using System;
using System.Collections.Generic;
using System.Numerics;

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
public sealed record Empty;
