using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods that write collections, nullables and messages inside a message.</summary>
internal sealed class WriteMethods(CodeWriter code, ValueCode values)
{
    public void Emit(string name, WireType type)
    {
        code.Line();
        code.Open($"private static void {name}({type.Name} value, MessageBuffer buffer, string member)");
        switch (type.Kind)
        {
            case WireKind.Parts:
                foreach (var part in PartsOf(type).Parts)
                    code.Line($"buffer.WriteFixed({part});");
                break;
            case WireKind.Nullable:
                code.Line("buffer.WriteBoolean(value.HasValue);");
                code.Open("if (value.HasValue)");
                code.Line(values.Write(type.Element!, "value.GetValueOrDefault()", "member"));
                code.Close();
                break;
            case WireKind.Text:
                EmitNull(type);
                code.Line(values.Write(type.Element!, TextCode.Find(type.Name)!.Text, "member"));
                break;
            case WireKind.Tuple:
                for (var i = 0; i < type.Items!.Count; i++)
                {
                    code.Line($"var i{i} = value.Item{i + 1};");
                    code.Line(values.Write(type.Items[i], $"i{i}", "member", "An item in"));
                }

                break;
            case WireKind.Message:
                EmitNull(type);
                code.Line("var start = buffer.StartNested(member);");
                code.Line($"{type.Serializer}.Write(in value, buffer);");
                code.Line("buffer.EndNested(start);");
                break;
            case WireKind.Dictionary:
                EmitNull(type);
                EmitCheck(type);
                code.Line("buffer.WriteCount(value.Count);");
                code.Open("foreach (var item in value)");
                code.Line(values.Write(type.Key!, "item.Key", "member", "A key in"));
                code.Line("var itemValue = item.Value;");
                code.Line(values.Write(type.Element!, "itemValue", "member", "A value in"));
                code.Close();
                break;
            default:
                EmitItems(type);
                break;
        }

        code.Close();
    }

    /// <summary>The parts of a type, whose name is fully qualified.</summary>
    public static PartsCode PartsOf(WireType type) => PartsCode.Find(Names.Display(type.Name))!;

    private void EmitItems(WireType type)
    {
        var item = type.Element!;
        var isSpan = type.Kind is WireKind.ImmutableArray or WireKind.ReadOnlyMemory;
        EmitNull(type);
        if (type.Kind == WireKind.HashSet)
            EmitCheck(type);
        if (isSpan)
            code.Line($"var items = {(type.Kind == WireKind.ReadOnlyMemory ? "value.Span" : "value.AsSpan()")};"); // an immutable array that was never set is empty
        var items = isSpan ? "items" : "value";
        var count = $"{items}.{(isSpan || type.Kind == WireKind.Array ? "Length" : "Count")}";
        code.Line($"buffer.WriteCount({count});");
        var isFixed = item.Kind == WireKind.Fixed;
        if (isFixed && type.Kind == WireKind.ReadOnlyList)
        {
            code.Line($"if (value is {item.Name}[] array) {{ buffer.WriteBlock<{item.Name}>(array); return; }}");
            code.Line($"if (value is global::System.Collections.Generic.List<{item.Name}> list) {{ buffer.WriteBlock<{item.Name}>(list); return; }}");
        }
        else if (isFixed && type.Kind != WireKind.HashSet)
        {
            code.Line($"buffer.WriteBlock<{item.Name}>({items});");
            return;
        }

        var isSet = type.Kind == WireKind.HashSet;
        code.Open(isSet ? "foreach (var item in value)" : $"for (var i = 0; i < {count}; i++)");
        if (!isSet)
            code.Line($"var item = {items}[i];");
        code.Line(values.Write(item, "item", "member", "An item in"));
        code.Close();
    }

    private void EmitCheck(WireType type) => code.Line($"KeyChecks.Check(value, {type.KeyHash ?? "null"}, member);");

    private void EmitNull(WireType type)
    {
        if (!type.IsReference)
            return;
        code.Open("if (value is null)");
        code.Line("buffer.WriteNull();");
        code.Line("return;");
        code.Close();
    }
}
