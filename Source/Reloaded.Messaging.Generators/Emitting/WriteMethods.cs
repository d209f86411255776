using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods that write collections, nullables and messages inside a message.</summary>
internal sealed class WriteMethods(CodeWriter code, ValueCode values, string message)
{
    public void Emit(string name, WireType type)
    {
        code.Line();
        code.Open($"private static void {name}({type.Name} value, MessageBuffer buffer)");
        switch (type.Kind)
        {
            case WireKind.Parts:
                foreach (var part in PartsOf(type).Parts)
                    code.Line($"buffer.WriteFixed({part});");
                break;
            case WireKind.Nullable:
                code.Line("buffer.WriteBoolean(value.HasValue);");
                code.Open("if (value.HasValue)");
                code.Line(values.Write(type.Element!, "value.GetValueOrDefault()", message));
                code.Close();
                break;
            case WireKind.Message:
                EmitNull(type);
                code.Line("var start = buffer.StartNested();");
                code.Line($"{type.Serializer}.Write(in value, buffer);");
                code.Line("buffer.EndNested(start);");
                break;
            case WireKind.Dictionary:
                EmitNull(type);
                code.Line("buffer.WriteCount(value.Count);");
                code.Open("foreach (var item in value)");
                code.Line(values.Write(type.Key!, "item.Key", $"A key in {message}"));
                code.Line("var itemValue = item.Value;");
                code.Line(values.Write(type.Element!, "itemValue", $"A value in {message}"));
                code.Close();
                break;
            default:
                EmitItems(type);
                break;
        }

        code.Close();
    }

    /// <summary>The parts of a type, whose name is fully qualified.</summary>
    public static PartsCode PartsOf(WireType type) => PartsCode.Find(type.Name.Substring("global::".Length))!;

    private void EmitItems(WireType type)
    {
        var length = type.Kind == WireKind.Array ? "Length" : "Count";
        EmitNull(type);
        code.Line($"buffer.WriteCount(value.{length});");
        if (type.Element!.Kind == WireKind.Fixed)
        {
            code.Line($"buffer.WriteBlock<{type.Element.Name}>(value);");
            return;
        }

        code.Open($"for (var i = 0; i < value.{length}; i++)");
        code.Line("var item = value[i];");
        code.Line(values.Write(type.Element, "item", $"An item in {message}"));
        code.Close();
    }

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
