using System.IO;
using System.Linq;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes the C statements that pack, unpack and initialize the members of a message.</summary>
internal sealed class CCode(CTypes types, TextWriter output)
{
    private int _depth = 1; // of blocks, which also numbers the variables in them

    public void Pack(SchemaContract contract)
    {
        foreach (var field in contract.Fields)
        {
            var declared = DeclaredType.Of(contract, field);
            var member = $"value->{CTypes.Member(field.Name)}";
            if (!contract.IsTolerant)
            {
                Pack(field.Type, declared, member, false, false);
                continue;
            }

            Line($"rm_write_uvarint(writer, {CTypes.Number(field.Number)});");
            Block(() =>
            {
                Line("size_t field = rm_begin(writer);");
                Pack(field.Type, declared, member, false, false);
                Line("rm_finish(writer, field);");
            });
        }
    }

    public void Unpack(SchemaContract contract)
    {
        if (contract.IsTolerant)
        {
            UnpackNumbered(contract);
            return;
        }

        var lastRequired = contract.Fields.Select((field, i) => IsRequired(field) ? i : -1).Append(-1).Max();
        for (var i = 0; i < contract.Fields.Count; i++)
        {
            var field = contract.Fields[i];
            if (i > lastRequired) // each field has a byte or more, so a required one fails at the end
            {
                Line("if (rm_at_end(reader))");
                Line("    return;");
            }

            Unpack(field.Type, DeclaredType.Of(contract, field), $"value->{CTypes.Member(field.Name)}", false, false);
        }
    }

    private void UnpackNumbered(SchemaContract contract)
    {
        var required = contract.Fields.Where(IsRequired).Select(static field => CTypes.Number(field.Number)).ToList();
        foreach (var number in required)
            Line($"bool has_{number} = false;");
        Line("rm_scope field;");
        Line("int64_t number = -1;");
        Line("while (!rm_at_end(reader))");
        Block(() =>
        {
            Line("if (!rm_enter_field(reader, &field, &number))");
            Line("    return;");
            foreach (var field in contract.Fields)
            {
                Line($"if (number == {CTypes.Number(field.Number)})");
                Block(() =>
                {
                    Unpack(field.Type, DeclaredType.Of(contract, field), $"value->{CTypes.Member(field.Name)}", false, false);
                    Line("rm_expect_end(reader);");
                    if (IsRequired(field))
                        Line($"has_{CTypes.Number(field.Number)} = true;");
                });
            }

            Line("rm_leave(reader, &field);");
        });
        if (required.Count > 0)
        {
            Line($"if ({string.Join(" || ", required.Select(static number => "!has_" + number))})");
            Line("    rm_fail(reader);");
        }
    }

    public void PackUnion(SchemaContract union)
    {
        Line("rm_write_uvarint(writer, value->tag);");
        foreach (var name in union.Fields.Select(one => types[one.Name]))
        {
            Line($"if (value->tag == {types[union.Name]}_{name} && value->value.any != NULL)");
            Block(() =>
            {
                Line($"{name}_pack(writer, value->value.{name});");
                Line("return;");
            });
        }

        Line("rm_reject(writer);");
    }

    public void UnpackUnion(SchemaContract union)
    {
        Line("value->tag = rm_read_uvarint(reader);");
        foreach (var name in union.Fields.Select(one => types[one.Name]))
        {
            Line($"if (value->tag == {types[union.Name]}_{name})");
            Block(() =>
            {
                Line($"{name} *inner = rm_take(reader, sizeof *inner);");
                Line("if (inner != NULL)");
                Line($"    {name}_unpack(reader, inner);");
                Line($"value->value.{name} = inner;");
                Line("return;");
            });
        }

        Line("rm_fail(reader);");
    }

    /// <summary>Sets the value of a missing field, if it is not zero.</summary>
    public void Initialize(SchemaField field, DeclaredType declared)
    {
        var member = $"value->{CTypes.Member(field.Name)}";
        var type = field.Type.Code == "?" ? field.Type.Parts[0] : field.Type;
        if (field.Default is { } value)
        {
            if (field.Type.Code == "?")
                Line($"{member}.has_value = true;");
            Line($"{member}{(field.Type.Code == "?" ? ".value" : "")} = {CTypes.Constant(type.Code, value)};");
        }
        else if (field.Type is { Code: "s", IsNullable: false })
        {
            Line($"{member} = rm_string({(declared.Name == "version" ? "\"0.0\"" : "\"\"")});");
        }
    }

    /// <summary>Whether a payload without the field is malformed: a class that never is null, or a default that only the .NET program computes.</summary>
    private bool IsRequired(SchemaField field) => field.IsComputed || (field.Type is { Code: "m", IsNullable: false } type && !types.Message(type).IsStruct);

    private void Pack(WireType type, DeclaredType declared, string value, bool isInList, bool isItem)
    {
        var nullable = type.IsNullable ? "true" : "false";
        switch (type.Code)
        {
            case "s":
                Line($"rm_write_text(writer, {value}, {nullable});");
                break;
            case "m":
                PackMessage(type, value, types.IsValue(type, isInList, isItem), nullable);
                break;
            case "?" when type.Parts[0].Code == "m":
                Line($"rm_write_u1(writer, {value} != NULL);");
                Line($"if ({value} != NULL)");
                Block(() => PackMessage(type.Parts[0], value, false, "false"));
                break;
            case "?":
                Line($"rm_write_u1(writer, {value}.has_value);");
                Line($"if ({value}.has_value)");
                Block(() => Pack(type.Parts[0], declared, value + ".value", isInList, false));
                break;
            case "[" when type.Parts[0].Code == "u1":
                Line($"rm_write_byte_array(writer, {value}, {nullable});");
                break;
            case "[" or "{":
                Line($"if (rm_write_count(writer, {value}.items, {value}.count, {nullable}))");
                Block(() => Loop(value, "writer", item =>
                {
                    if (type.Code == "[")
                    {
                        Pack(type.Parts[0], declared.Parts[0], item, true, true);
                        return;
                    }

                    Pack(type.Parts[0], declared.Parts[0], item + ".key", true, false);
                    Pack(type.Parts[1], declared.Parts[1], item + ".value", true, false);
                }));
                break;
            case "(" when declared.Name == "(":
                for (var i = 0; i < type.Parts.Count; i++)
                    Pack(type.Parts[i], declared.Parts[i], $"{value}.{CTypes.ItemName(declared, i)}", isInList, false);
                break;
            case "(":
                foreach (var (name, code) in types.Fields(declared))
                    Line(CTypes.Write(code, $"{value}.{CTypes.Member(name)}"));
                break;
            default:
                Line(CTypes.Write(type.Code, value));
                break;
        }
    }

    private void PackMessage(WireType type, string value, bool isValue, string nullable)
    {
        if (!isValue)
        {
            Line($"if ({value} == NULL)");
            Line($"    rm_write_null(writer, {nullable});");
            Line("else");
        }

        var start = $"start{CTypes.Number((uint)_depth)}";
        Block(() =>
        {
            Line($"size_t {start} = rm_begin(writer);");
            Line($"if (writer->status == RM_OK)");
            Line($"    {types[types.Message(type).Name]}_pack(writer, {(isValue ? "&" : "")}{value});");
            Line($"rm_finish(writer, {start});");
        });
    }

    private void Unpack(WireType type, DeclaredType declared, string value, bool isInList, bool isItem)
    {
        var nullable = type.IsNullable ? "true" : "false";
        switch (type.Code)
        {
            case "s":
                Line($"{value} = rm_read_text(reader, {nullable});");
                break;
            case "m":
                UnpackMessage(type, value, types.IsValue(type, isInList, isItem), nullable);
                break;
            case "?" when type.Parts[0].Code == "m":
                Line("if (rm_read_b(reader))");
                Block(() => UnpackMessage(type.Parts[0], value, false, "false"));
                break;
            case "?":
                Line($"{value}.has_value = rm_read_b(reader);");
                Line($"if ({value}.has_value)");
                Block(() => Unpack(type.Parts[0], declared, value + ".value", isInList, false));
                break;
            case "[" when type.Parts[0].Code == "u1":
                Line($"{value} = rm_read_byte_array(reader, {nullable});");
                break;
            case "[" or "{":
                UnpackItems(type, declared, value, nullable);
                break;
            case "(" when declared.Name == "(":
                for (var i = 0; i < type.Parts.Count; i++)
                    Unpack(type.Parts[i], declared.Parts[i], $"{value}.{CTypes.ItemName(declared, i)}", isInList, false);
                break;
            case "(":
                foreach (var (name, code) in types.Fields(declared))
                    Line($"{value}.{CTypes.Member(name)} = {CTypes.Read(code)};");
                break;
            default:
                Line($"{value} = {CTypes.Read(type.Code)};");
                break;
        }
    }

    private void UnpackItems(WireType type, DeclaredType declared, string value, string nullable)
    {
        var isList = type.Code == "[";
        var key = isList && !declared.IsSet ? null : CTypes.KeyCode(type.Parts[0]);
        Line($"{value}.items = rm_read_items(reader, &{value}.count, sizeof *{value}.items, {nullable});");
        if (key is null)
        {
            UnpackLoop(null);
            return;
        }

        Block(() =>
        {
            var keys = $"keys{CTypes.Number((uint)_depth)}";
            Line($"uint32_t *{keys} = rm_begin_keys(reader, {value}.count);");
            UnpackLoop(keys);
            Line($"rm_check_keys(reader, {keys}, {value}.count, \"{key}\");");
        });

        void UnpackLoop(string? keys) => Loop(value, "reader", item =>
        {
            if (keys is not null)
                Line($"{keys}[{Index()}] = (uint32_t)reader->position;");
            Unpack(type.Parts[0], declared.Parts[0], isList ? item : item + ".key", true, isList);
            if (!isList)
                Unpack(type.Parts[1], declared.Parts[1], item + ".value", true, false);
        });
    }

    private void UnpackMessage(WireType type, string value, bool isValue, string nullable)
    {
        var (name, scope, inner) = (types[types.Message(type).Name], $"scope{CTypes.Number((uint)_depth)}", $"inner{CTypes.Number((uint)_depth)}");
        Block(() =>
        {
            Line($"rm_scope {scope};");
            Line($"if (rm_enter(reader, &{scope}, {nullable}))");
            Block(() =>
            {
                if (isValue)
                {
                    Line($"{name}_unpack(reader, &{value});");
                }
                else
                {
                    Line($"{name} *{inner} = rm_take(reader, sizeof *{inner});");
                    Line($"if ({inner} != NULL)");
                    Line($"    {name}_unpack(reader, {inner});");
                    Line($"{value} = {inner};");
                }

                Line($"rm_leave(reader, &{scope});");
            });
        });
    }

    /// <summary>Writes a loop over the items of a list or dictionary.</summary>
    private void Loop(string value, string stream, Action<string> writeItem)
    {
        _depth++;
        var index = Index();
        _depth--;
        Line($"for (uint32_t {index} = 0; {index} < {value}.count && {stream}->status == RM_OK; {index}++)");
        Block(() => writeItem($"{value}.items[{index}]"));
    }

    /// <summary>The variable of the loop whose block is written.</summary>
    private string Index() => $"i{CTypes.Number((uint)_depth)}";

    private void Block(Action write)
    {
        Line("{");
        _depth++;
        write();
        _depth--;
        Line("}");
    }

    private void Line(string text)
    {
        output.Write(new string(' ', 4 * _depth));
        output.WriteLine(text);
    }
}
