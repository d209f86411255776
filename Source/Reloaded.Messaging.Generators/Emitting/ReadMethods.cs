using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods that read collections, nullables and messages inside messages, into new or rented instances.</summary>
internal sealed class ReadMethods(CodeWriter code, ValueCode values, TypeMethods methods)
{
    private const string MaxLength = "0x7FFFFFC7u"; // of a dimension, as Array.MaxLength

    /// <summary>The parameter with the name of a member. Methods of types without a converter do not have it, and do not use it.</summary>
    private const string Member = "member";

    public void Emit(string name, WireType type, bool isInterned, bool isPooled)
    {
        code.Open($"public static bool {name}(ref PayloadReader reader, out {type.Name} value{(type.IsConverted ? ", string member" : "")})");
        code.Line("value = default;");
        switch (type.Kind)
        {
            case WireKind.Parts:
                EmitParts(WriteMethods.PartsOf(type));
                break;
            case WireKind.Nullable:
                EmitNullable(type, isInterned);
                break;
            case WireKind.Text:
                EmitText(type, isInterned);
                break;
            case WireKind.Tuple:
                EmitTuple(type, isInterned);
                break;
            case WireKind.Message:
                EmitMessage(type, isPooled);
                break;
            case WireKind.HashSet:
                EmitSet(type, isInterned, isPooled);
                break;
            case WireKind.Wrapped when type.Wrapper!.Converter is not null:
                EmitConverted(type, isInterned);
                break;
            case WireKind.Wrapped when type.Wrapper!.Rank > 0:
                EmitTable(type, isInterned);
                break;
            case WireKind.Wrapped:
                EmitWrapped(type, isInterned);
                break;
            case WireKind.Array:
                EmitArray(type, isInterned, isPooled);
                break;
            case WireKind.List:
                EmitList(type, isInterned, isPooled);
                break;
            default:
                EmitDictionary(type, isInterned, isPooled);
                break;
        }

        code.Line("return true;");
        code.Close();
    }

    private void EmitParts(PartsCode parts)
    {
        for (var i = 0; i < parts.Parts.Length; i++)
            code.Line($"if (!reader.TryReadFixed(out {parts.PartType} p{i})) return false;");
        if (parts.Check is { } check)
            code.Line($"if (!({check})) return false;");
        code.Line($"value = {parts.Make};");
    }

    private void EmitNullable(WireType type, bool isInterned)
    {
        code.Line("if (!reader.TryReadBoolean(out var hasValue)) return false;");
        code.Line("if (!hasValue) return true;");
        code.Line($"if (!{Read(type.Element!, "item", isInterned)}) return false;");
        code.Line("value = item;");
    }

    private void EmitText(WireType type, bool isInterned)
    {
        var text = TextCode.Find(type.Name)!;
        code.Line($"if (!{Read(type.Element!, "text", isInterned)}) return false;");
        if (type.MayBeNull)
            code.Line("if (text is null) return true;");
        code.Line($"if (!reader.TryAllow({text.Cost}) || !{text.TryMake}) return false;");
    }

    private void EmitWrapped(WireType type, bool isInterned)
    {
        code.Line($"if (!{Read(type.Element!, "items", isInterned)}) return false;");
        var isValue = type is { IsReference: true, Element.Kind: WireKind.Nullable };
        if (type.MayBeNull || isValue)
            code.Line($"if (items is null) return {(type.MayBeNull ? "true" : "false")};");
        if (isValue)
            code.Line("var made = items.GetValueOrDefault();");
        if (type.Wrapper!.IsReversed)
            code.Line("global::System.Array.Reverse(items);");
        if (type.Wrapper.Check is { } check)
            code.Line($"if (!{check.Replace("{0}", "items")}) return false;");
        code.Line($"value = {type.Wrapper.Make.Replace("{0}", isValue ? "made" : "items")};");
    }

    /// <summary>Emits the body that reads an array of several dimensions. The runtime multiplies the lengths in this order, and throws for a product that is too large even if a later length is 0.</summary>
    private void EmitTable(WireType type, bool isInterned)
    {
        var item = WriteMethods.ItemOf(type);
        var lengths = Enumerable.Range(0, type.Wrapper!.Rank).Select(static i => $"d{i}").ToList();
        code.Line("if (!reader.TryReadBoolean(out var hasValue)) return false;");
        code.Line($"if (!hasValue) return {(type.MayBeNull ? "true" : "false")};");
        code.Line("ulong product = 1;");
        foreach (var length in lengths)
            code.Line($"if (!reader.TryReadFixed(out int {length}) || (uint){length} > {MaxLength} || (product *= (ulong){length}) > int.MaxValue) return false;");
        code.Line($"if (!reader.TryReadCount({item.MinBytes}, {item.Cost}, out var count) || count < 0 || product != (ulong)count) return false;");
        code.Line($"value = {ValueCode.NewArray(type, string.Join(", ", lengths))};");
        code.Line("if (count == 0) return true;");
        code.Line($"var items = global::System.Runtime.InteropServices.MemoryMarshal.CreateSpan(ref value[{string.Join(", ", lengths.Select(static _ => "0"))}], count);");
        if (item.Kind == WireKind.Fixed)
        {
            code.Line($"if (!reader.TryReadBlock<{item.Name}>(items)) return false;");
            return;
        }

        code.Open("for (var i = 0; i < items.Length; i++)");
        code.Line($"if (!{values.Read(item, "items[i]", isInterned, false, Member)}) return false;");
        code.Close();
    }

    private void EmitConverted(WireType type, bool isInterned)
    {
        var inner = type.Element!;
        code.Line($"if (!{Read(inner, "inner", isInterned)}) return false;");
        if (type.IsReference)
            code.Line($"if (inner is null) return {(type.MayBeNull ? "true" : "false")};");
        code.Line("bool isValid;");
        code.Line($"try {{ isValid = {type.Wrapper!.Make}({(inner.Kind == WireKind.Nullable ? "inner.GetValueOrDefault()" : "inner")}, out value); }}");
        code.Line(WriteMethods.Catch(type.Wrapper, "receive"));
        code.Line($"if (!isValid{(type.IsReference ? " || value is null" : "")}) return false;");
    }

    private void EmitTuple(WireType type, bool isInterned)
    {
        for (var i = 0; i < type.Items!.Count; i++)
        {
            code.Line($"if (!{Read(type.Items[i], $"i{i}", isInterned)}) return false;");
        }

        code.Line($"value = ({string.Join(", ", type.Items.Select(static (_, i) => $"i{i}"))});");
    }

    private void EmitMessage(WireType type, bool isPooled)
    {
        // The message, the array or the list around a struct has paid for it.
        code.Line($"if (!reader.TryEnter({(type.IsReference ? $"{type.Serializer}.Cost" : "0")}, out var isNull, out var end)) return false;");
        code.Line($"if (isNull) return {(type.MayBeNull ? "true" : "false")};");
        code.Line($"if (!{type.Serializer}.{(isPooled ? "TryReadPooled" : "TryRead")}(ref reader, out value)) return false;");
        code.Line("reader.Leave(end);");
    }

    private void EmitArray(WireType type, bool isInterned, bool isPooled)
    {
        var item = type.Element!;
        EmitCount(type, item.MinBytes, item.Cost);
        code.Open("if (count == 0)");
        code.Line($"value = global::System.Array.Empty<{item.Name}>();");
        code.Line("return true;");
        code.Close();

        code.Line($"var items = {ValueCode.NewArray(type, "count")};");
        if (isPooled)
            code.Line("value = items;"); // set before reading, so that a failed read still returns the rented items
        if (item.Kind == WireKind.Fixed)
        {
            code.Line($"if (!reader.TryReadBlock<{item.Name}>(items)) return false;");
        }
        else
        {
            code.Open("for (var i = 0; i < items.Length; i++)");
            code.Line($"if (!{values.Read(item, "items[i]", isInterned, isPooled, Member)}) return false;");
            code.Close();
        }

        code.Line("value = items;");
    }

    private void EmitList(WireType type, bool isInterned, bool isPooled)
    {
        var item = type.Element!;
        EmitCount(type, item.MinBytes, item.Cost);
        code.Line(isPooled ? $"var items = PooledCollections.RentList<{item.Name}>(count);" : $"var items = new {type.Name}(count);");
        code.Line("value = items;");
        if (item.Kind == WireKind.Fixed)
        {
            code.Line("if (!reader.TryReadBlock(items, count)) return false;");
            return;
        }

        code.Open("for (var i = 0; i < count; i++)");
        code.Line($"if (!{Read(item, "item", isInterned, isPooled)}) {Refuse(item, isPooled)}");
        code.Line("items.Add(item);");
        code.Close();
    }

    private void EmitSet(WireType type, bool isInterned, bool isPooled)
    {
        var item = type.Element!;
        EmitCount(type, item.MinBytes, $"16 + {item.Cost}");
        code.Line(isPooled ? $"value = PooledCollections.RentSet<{item.Name}>(count);" : $"value = new {type.Name}(count);");
        EmitGuard(item, type);
        code.Open("for (var i = 0; i < count; i++)");
        code.Line($"if (!{Read(item, "item", isInterned)} || !guard.TryAdd(ref value, item)) return false;");
        code.Close();
        code.Line("guard.Finish();");
    }

    private void EmitDictionary(WireType type, bool isInterned, bool isPooled)
    {
        var (key, item) = (type.Key!, type.Element!);
        EmitCount(type, key.MinBytes + item.MinBytes, $"16 + {key.Cost} + {item.Cost}");
        code.Line(isPooled ? $"value = PooledCollections.RentDictionary<{key.Name}, {item.Name}>(count);" : $"value = new {type.Name}(count);");
        EmitGuard(key, type);
        code.Open("for (var i = 0; i < count; i++)");
        code.Line($"if (!{Read(key, "key", isInterned)}) return false;");
        code.Line($"if (!{Read(item, "item", isInterned, isPooled)} || !guard.TryAdd(ref value, key, item)) {Refuse(item, isPooled)}");
        code.Close();
        code.Line("guard.Finish();");
    }

    /// <summary>Returns an expression that declares a variable, and is <c>true</c> if it was read.</summary>
    private string Read(WireType type, string local, bool isInterned, bool isPooled = false) => values.Read(type, $"{type.Name} {local}", isInterned, isPooled, Member);

    /// <summary>Emits the return statement for an item that could not be read. A rented item that is not yet in its collection is released here, because no other code refers to it.</summary>
    private string Refuse(WireType item, bool isPooled) =>
        isPooled && ValueCode.NeedsRelease(item) ? $"{{ {methods.Release(item)}(item); return false; }}" : "return false;";

    private void EmitGuard(WireType key, WireType type) =>
        code.Line($"var guard = new KeyGuard<{key.Name}>(value.EnsureCapacity(count), count, {type.KeyHash ?? "null"});");

    private void EmitCount(WireType type, int bytes, string cost)
    {
        code.Line($"if (!reader.TryReadCount({bytes}, {cost}, out var count)) return false;");
        code.Line($"if (count < 0) return {(type.MayBeNull ? "true" : "false")};");
    }
}
