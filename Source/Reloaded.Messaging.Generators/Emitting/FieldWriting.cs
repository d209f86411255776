using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the body of the method that writes the fields of a message.</summary>
internal sealed class FieldWriting(CodeWriter code, ValueCode values, MessageModel message)
{
    private readonly MemberCode _members = new(message);

    /// <summary>Writes each field after its number and length.</summary>
    public void EmitNumbered()
    {
        foreach (var field in message.Fields)
        {
            code.Line($"buffer.WriteUVarint({field.Number}u);");
            code.Line($"var n{field.Number} = buffer.StartNested({NameOf(field)});");
            EmitOne(field);
            code.Line($"buffer.EndNested(n{field.Number});");
        }
    }

    /// <summary>Writes the fields in order. Adjacent fields of fixed size share one reservation in the buffer, which is faster than one reservation for each field.</summary>
    public void EmitOrdered()
    {
        for (var i = 0; i < message.Fields.Count;)
        {
            var run = FixedRun.At(message.Fields, i);
            if (run.Count < 2)
            {
                EmitOne(message.Fields[i++]);
                continue;
            }

            code.Line($"var run{i} = buffer.StartRun({FixedRun.SizeOf(run)});");
            var offset = 0;
            foreach (var field in run)
            {
                var member = _members.Get(field, "value");
                code.Line($"PayloadWriter.Put(run{i}, {offset}, {(field.Type.Kind == WireKind.Fixed ? member : $"{member} ? (byte)1 : (byte)0")});");
                offset += field.Type.MinBytes;
            }

            i += run.Count;
        }
    }

    private void EmitOne(FieldModel field)
    {
        var value = _members.Get(field, "value");
        if (field.IsHidden)
        {
            code.Line($"var h{field.Number} = {value};"); // a getter is called once
            value = $"h{field.Number}";
        }

        code.Line(values.Write(field.Type, value, NameOf(field)));
    }

    private string NameOf(FieldModel field) => ValueCode.Literal($"{message.DisplayName}.{field.Name}");
}
