using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the bodies that write and read a union: a tag, followed by the message that the tag identifies.</summary>
internal static class UnionMethods
{
    public static void EmitWrite(CodeWriter code, MessageModel union)
    {
        for (var i = 0; i < union.Cases.Count; i++)
        {
            // Only the exact type matches: an instance of a derived type would lose its additional members.
            var one = union.Cases[i];
            code.Open($"if (value.GetType() == typeof({one.Name}))");
            code.Line($"var c{i} = ({one.Name})value;");
            code.Line($"buffer.WriteUVarint({one.Tag}u);");
            code.Line($"{one.Serializer}.Write(in c{i}, buffer);");
            code.Line("return;");
            code.Close();
        }

        code.Line($"PayloadWriter.ThrowNotInUnion(typeof({union.Name}), value);");
    }

    public static void EmitRead(CodeWriter code, MessageModel union)
    {
        code.Line("value = default;");
        code.Line("if (!reader.TryReadUVarint(out var tag)) return false;");
        code.Open("switch (tag)");
        for (var i = 0; i < union.Cases.Count; i++)
        {
            var one = union.Cases[i];
            code.Open($"case {one.Tag}:");
            code.Line($"if (!reader.TryAllow({one.Serializer}.Memory) || !{one.Serializer}.TryRead(ref reader, out var c{i})) return false;");
            code.Line($"value = c{i};");
            code.Line("return true;");
            code.Close();
        }

        code.Line("default: return false;");
        code.Close();
    }
}
