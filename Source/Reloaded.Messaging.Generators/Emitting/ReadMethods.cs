using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods that read collections, nullables and messages inside a message, into new or rented instances.</summary>
internal sealed class ReadMethods(CodeWriter code, ValueCode values, TypeMethods methods)
{
    public void Emit(string name, WireType type, bool isInterned, bool isPooled)
    {
        code.Line();
        code.Open($"private static bool {name}(ref PayloadReader reader, out {type.Name} value)");
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
        code.Line($"{type.Element!.Name} item;");
        code.Line($"if (!{values.Read(type.Element, "item", isInterned, false)}) return false;");
        code.Line("value = item;");
    }

    private void EmitText(WireType type, bool isInterned)
    {
        var text = TextCode.Find(type.Name)!;
        code.Line("string text;");
        code.Line($"if (!{values.Read(type.Element!, "text", isInterned, false)}) return false;");
        if (type.MayBeNull)
            code.Line("if (text is null) return true;");
        code.Line($"if (!reader.TryAllow({text.Cost}) || !{text.TryMake}) return false;");
    }

    private void EmitWrapped(WireType type, bool isInterned)
    {
        code.Line($"{type.Element!.Name} items;");
        code.Line($"if (!{values.Read(type.Element, "items", isInterned, false)}) return false;");
        if (type is { IsReference: true, MayBeNull: true })
            code.Line("if (items is null) return true;");
        if (type.Wrapper!.IsReversed)
            code.Line("global::System.Array.Reverse(items);");
        if (type.Wrapper.Check is { } check)
            code.Line($"if (!{check.Replace("{0}", "items")}) return false;");
        code.Line($"value = {type.Wrapper.Make.Replace("{0}", "items")};");
    }

    private void EmitTuple(WireType type, bool isInterned)
    {
        for (var i = 0; i < type.Items!.Count; i++)
        {
            code.Line($"{type.Items[i].Name} i{i};");
            code.Line($"if (!{values.Read(type.Items[i], $"i{i}", isInterned, false)}) return false;");
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

        // In an array of arrays, the brackets of the outer array come first: new int[count][].
        var made = Regex.Match(item.Name, @"(\[\])*$");
        code.Line($"var items = new {item.Name.Substring(0, made.Index)}[count]{made.Value};");
        if (isPooled)
            code.Line("value = items;"); // set before reading, so that a failed read still returns the rented items
        if (item.Kind == WireKind.Fixed)
        {
            code.Line($"if (!reader.TryReadBlock<{item.Name}>(items)) return false;");
        }
        else
        {
            code.Open("for (var i = 0; i < items.Length; i++)");
            code.Line($"if (!{values.Read(item, "items[i]", isInterned, isPooled)}) return false;");
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
        code.Line($"{item.Name} item;");
        code.Line($"if (!{values.Read(item, "item", isInterned, isPooled)}) {Refuse(item, isPooled)}");
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
        code.Line($"{item.Name} item;");
        code.Line($"if (!{values.Read(item, "item", isInterned, false)} || !guard.TryAdd(ref value, item)) return false;");
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
        code.Line($"{key.Name} key;");
        code.Line($"{item.Name} item;");
        code.Line($"if (!{values.Read(key, "key", isInterned, false)}) return false;");
        code.Line($"if (!{values.Read(item, "item", isInterned, isPooled)} || !guard.TryAdd(ref value, key, item)) {Refuse(item, isPooled)}");
        code.Close();
        code.Line("guard.Finish();");
    }

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
