using System.Linq;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods that write collections, nullables and messages inside messages.</summary>
internal sealed class WriteMethods(CodeWriter code, ValueCode values)
{
    public void Emit(string name, WireType type)
    {
        code.Open($"public static void {name}({type.Name} value, MessageBuffer buffer, string member)");
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
                EmitPair(type);
                code.Close();
                break;
            case WireKind.Wrapped:
                EmitWrapped(type);
                break;
            default:
                EmitItems(type);
                break;
        }

        code.Close();
    }

    /// <summary>The parts of a type, whose name is fully qualified.</summary>
    public static PartsCode PartsOf(WireType type) => PartsCode.Find(Names.Display(type.Name))!;

    /// <summary>The type of the items of an array of several dimensions, whose base is a nullable tuple of the lengths and the items.</summary>
    public static WireType ItemOf(WireType table) => table.Element!.Element!.Items![table.Wrapper!.Rank].Element!;

    /// <summary>The code that names the member in an exception of a converter.</summary>
    public static string Catch(WrapperCode wrapper, string verb) =>
        $"catch (global::System.Exception exception) {{ throw new global::System.InvalidOperationException(member + {ValueCode.Literal($" could not be converted to {verb} it: {Names.Display(wrapper.Converter!)} threw ")} + exception.GetType() + \": \" + exception.Message, exception); }}";

    private void EmitItems(WireType type)
    {
        EmitNull(type);
        if (type.Kind == WireKind.HashSet)
            EmitCheck(type);
        EmitItems(type, "value");
    }

    /// <summary>Writes the count and the items of an array, a list, a set or a span.</summary>
    private void EmitItems(WireType type, string items)
    {
        var item = type.Element!;
        var isSet = type.Kind == WireKind.HashSet;
        var count = $"{items}.{(type.Kind == WireKind.Array ? "Length" : "Count")}";
        code.Line($"buffer.WriteCount({count});");
        if (item.Kind == WireKind.Fixed && !isSet)
        {
            code.Line($"buffer.WriteBlock<{item.Name}>({items});");
            return;
        }

        code.Open(isSet ? $"foreach (var item in {items})" : $"for (var i = 0; i < {count}; i++)");
        if (!isSet)
            code.Line($"var item = {items}[i];");
        code.Line(values.Write(item, "item", "member", "An item in"));
        code.Close();
    }

    private void EmitWrapped(WireType type)
    {
        var (inner, wrapper) = (type.Element!, type.Wrapper!);
        EmitNull(type);
        if (wrapper.Converter is not null)
        {
            code.Line($"{inner.Name} inner;");
            code.Line($"try {{ inner = {wrapper.Unmake}; }}");
            code.Line(Catch(wrapper, "send"));
            code.Line(values.Write(inner with { MayBeNull = false }, "inner", "member", "The surrogate of"));
            return;
        }

        if (wrapper.Rank > 0)
        {
            EmitTable(ItemOf(type), wrapper.Rank);
            return;
        }

        if (wrapper.Unmake is not null)
        {
            code.Line($"{inner.Name} inner = {wrapper.Unmake};");
            code.Line(values.Write(inner, "inner", "member"));
            return;
        }

        if (wrapper.IsSpan)
        {
            code.Line($"var span = {wrapper.Items};"); // an immutable array that was never set is empty
            EmitItems(inner, "span");
            return;
        }

        foreach (var (known, i) in (wrapper.Known?.AsEnumerable() ?? []).Select(static (one, i) => (one, i)))
            code.Line($"if (value is {known.Name} known{i}) {{ {values.Write(known, $"known{i}", "member")} return; }}");
        if (inner.Kind is WireKind.HashSet or WireKind.Dictionary)
            EmitCheck(inner, wrapper);

        // A collection that another thread changes, or whose count is wrong, must not give a payload that no receiver can read.
        code.Line($"var items = {wrapper.Items};");
        code.Line("var count = items.Count;");
        code.Line("var left = count;");
        code.Line("buffer.WriteCount(count);");
        code.Open("foreach (var item in items)");
        code.Line("left--;");
        if (inner.Kind == WireKind.Dictionary)
            EmitPair(inner);
        else
            code.Line(values.Write(inner.Element!, "item", "member", "An item in"));
        code.Close();
        code.Line("if (left != 0) PayloadWriter.ThrowMiscounted(member, count, left);");
    }

    /// <summary>Writes an array of several dimensions as the nullable tuple of its lengths and its items.</summary>
    private void EmitTable(WireType item, int rank)
    {
        code.Line("buffer.WriteBoolean(true);");
        for (var i = 0; i < rank; i++)
            code.Line($"buffer.WriteFixed(value.GetLength({i}));");
        code.Line("buffer.WriteCount(value.Length);");
        if (item.Kind == WireKind.Fixed)
        {
            code.Line($"if (value.Length > 0) buffer.WriteBlock<{item.Name}>(global::System.Runtime.InteropServices.MemoryMarshal.CreateReadOnlySpan(ref value[{string.Join(", ", Enumerable.Repeat("0", rank))}], value.Length));");
            return;
        }

        code.Open("foreach (var item in value)");
        code.Line(values.Write(item, "item", "member", "An item in"));
        code.Close();
    }

    private void EmitPair(WireType type)
    {
        code.Line(values.Write(type.Key!, "item.Key", "member", "A key in"));
        code.Line("var itemValue = item.Value;");
        code.Line(values.Write(type.Element!, "itemValue", "member", "A value in"));
    }

    /// <summary>Checks the keys of a collection that may compare them in another way than its receiver. Strings that are different for any comparer of strings are different.</summary>
    private void EmitCheck(WireType inner, WrapperCode wrapper)
    {
        var key = (inner.Key ?? inner.Element!).Name;
        if (wrapper.IsSorted)
            code.Line($"if (!ReferenceEquals({wrapper.Comparer}, global::System.Collections.Generic.Comparer<{key}>.Default))");
        code.Line($"{(wrapper.IsSorted ? "    " : "")}KeyChecks.Check<{key}>({(inner.Key is null ? "value" : "value.Keys")}, value.Count, {wrapper.Comparer ?? "null"}, {inner.KeyHash ?? "null"}, member);");
    }

    private void EmitCheck(WireType type) => code.Line($"KeyChecks.Check(value, {type.KeyHash ?? "null"}, member);");

    private void EmitNull(WireType type)
    {
        if (type.IsReference)
            code.Line(type.MayBeNull ? "if (value is null) { buffer.WriteNull(); return; }" : "if (value is null) PayloadWriter.ThrowNull(member);");
    }
}
