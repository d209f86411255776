using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the file of a message: its contract and its serializer.</summary>
internal sealed class SerializerEmitter
{
    private readonly MessageModel _message;
    private readonly CodeWriter _code = new();
    private readonly TypeMethods _methods;
    private readonly FieldReading _reading;
    private readonly FieldWriting _writing;

    private SerializerEmitter(MessageModel message)
    {
        _message = message;
        _methods = new TypeMethods(message.IsForbidden);
        var values = new ValueCode(_methods);
        _writing = new FieldWriting(_code, values, message);
        _reading = new FieldReading(_code, values, message);
    }

    public static SerializerFile Emit(MessageModel message)
    {
        var emitter = new SerializerEmitter(message);
        emitter.Emit();
        return new SerializerFile(message.Serializer, emitter._code.ToString(), new(emitter._methods.Requested));
    }

    private void Emit()
    {
        _code.Header().Namespace();
        _code.Line("/// <summary>The contract and the serializer of a message.</summary>");
        _code.Line("[global::System.ComponentModel.EditorBrowsable(global::System.ComponentModel.EditorBrowsableState.Never)]");
        _code.Line("[global::System.Runtime.CompilerServices.CompilerGenerated]");
        if (_message.IsForbidden)
            _code.Line("[global::System.Obsolete]");
        _code.Open($"{(_message.IsPublic ? "public" : "internal")} sealed class {_message.Serializer}{Interface()}");
        EmitContract();
        if (!_message.IsBlittable)
            EmitInterface();
        EmitWrite();
        EmitRead();
        if (_message.IsPooled)
            new PoolMethods(_code, _methods, _message).Emit();
        _code.Close();
        _code.Close();
        new MemberCode(_message).EmitAccess(_code);
    }

    /// <summary>A struct that is sent as its bytes uses the serializer of the core, and writers and dispatchers can skip even that.</summary>
    private string Interface() =>
        _message.IsBlittable ? "" : $" : {(_message.IsPooled ? "IPooledMessageSerializer" : "IMessageSerializer")}<{_message.Name}>";

    private void EmitContract()
    {
        var serializer = _message.IsBlittable
            ? $"new BlittableSerializer<{_message.Name}>(new int[] {{ {string.Join(", ", _message.BlittableEnds)} }})"
            : $"new {_message.Serializer}()";
        var compression = _message.Compressor is null ? "null" : $"new CompressionOptions(new {_message.Compressor}(), {_message.CompressionThreshold})";
        _code.Line($"public const int Cost = {_message.Cost};");
        _code.Line();
        _code.Line($"public static readonly MessageContract<{_message.Name}> Contract = new MessageContract<{_message.Name}>(");
        _code.Line($"    {_message.Id}u,");
        _code.Line($"    {serializer},");
        _code.Line($"    {compression},");
        _code.Line($"    version: {_message.Version},");
        _code.Line($"    isSecret: {(_message.IsSecret ? "true" : "false")},");
        _code.Line("    shape: new MessageShape(");
        _code.Line($"        new string[] {{ {string.Join(", ", Shape.Names(_message).Select(ValueCode.Literal))} }},");
        _code.Line($"        new ulong[] {{ {string.Join(", ", Shape.Fields(_message).Select(static field => $"0x{field:X}UL"))} }},");
        var nested = new List<string>();
        var layout = Shape.Layout(_message, (serializer, _) =>
        {
            if (!nested.Contains(serializer))
                nested.Add(serializer);
            return $"{nested.IndexOf(serializer)}";
        });
        _code.Line($"        {ValueCode.Literal(layout)}{(nested.Count == 0 ? "));" : ",")}");
        if (nested.Count == 0)
            return;
        _code.Line("        Nested));");
        _code.Line();
        _code.Line($"private static MessageContract[] Nested() => new MessageContract[] {{ {string.Join(", ", nested.Select(static serializer => serializer + ".Contract"))} }};");
    }

    private void EmitInterface()
    {
        _code.Line();
        _code.Line("public string Name => \"binary\";");
        _code.Line();
        _code.Open($"public void Serialize(in {_message.Name} value, MessageBuffer buffer)");
        if (!_message.IsValueType)
            _code.Line("if (value is null) throw new global::System.ArgumentNullException(nameof(value));");
        _code.Line("Write(in value, buffer);");
        _code.Close();
        _code.Line();
        _code.Open($"public bool TryDeserialize(global::System.ReadOnlySpan<byte> payload, out {_message.Name} value)");
        _code.Line("var reader = new PayloadReader(payload);");
        _code.Line("return TryRead(ref reader, out value);");
        _code.Close();
    }

    private void EmitWrite()
    {
        _code.Line();
        var calls = _message.HasCallbacks(isAfterReading: false);
        if (calls)
        {
            _code.Open($"public static void Write(in {_message.Name} value, MessageBuffer buffer)");
            _code.Line("var written = value;");
            new MemberCode(_message).EmitCalls(_code, "written", isAfterReading: false);
            _code.Line("WriteFields(in written, buffer);");
            _code.Close();
            _code.Line();
        }

        _code.Open($"{(calls ? "private" : "public")} static void {(calls ? "WriteFields" : "Write")}(in {_message.Name} value, MessageBuffer buffer)");
        if (_message.IsUnion)
            EmitUnionWrite();
        if (_message.IsVersionTolerant)
            _writing.EmitNumbered();
        else
            _writing.EmitOrdered();
        _code.Close();
    }

    private void EmitRead()
    {
        _code.Line();
        var calls = _message.HasCallbacks(isAfterReading: true);
        if (calls)
            EmitCallingRead("public", "TryRead", "out ");
        _code.Open($"{(calls ? "private" : "public")} static bool TryRead{(calls ? "Fields" : "")}(ref PayloadReader reader, out {_message.Name} value)");
        if (_message.IsUnion)
            EmitUnionRead();
        else
            _reading.Emit(isPooled: false);
        _code.Close();
        if (_message is { IsUnion: false, Construction: Construction.Setters })
            _reading.EmitComplete(isPooled: false);
        if (!_message.IsPooled)
            return;

        _code.Line();
        if (calls)
            EmitCallingRead("private", "TryReadInto", "");
        _code.Open($"private static bool TryReadInto{(calls ? "Fields" : "")}(ref PayloadReader reader, {_message.Name} value)");
        _reading.Emit(isPooled: true);
        _code.Close();
        _reading.EmitComplete(isPooled: true);
    }

    /// <summary>Emits the method that reads the fields, and then calls the methods of the message.</summary>
    private void EmitCallingRead(string accessibility, string name, string kind)
    {
        _code.Open($"{accessibility} static bool {name}(ref PayloadReader reader, {kind}{_message.Name} value)");
        _code.Line($"if (!{name}Fields(ref reader, {kind}value)) return false;");
        new MemberCode(_message).EmitCalls(_code, "value", isAfterReading: true);
        _code.Line("return true;");
        _code.Close();
        _code.Line();
    }

    /// <summary>Emits the body that writes a union: a tag, followed by the message that the tag identifies.</summary>
    private void EmitUnionWrite()
    {
        for (var i = 0; i < _message.Cases.Count; i++)
        {
            // Only the exact type matches: an instance of a derived type would lose its additional members.
            var one = _message.Cases[i];
            _code.Open($"if (value.GetType() == typeof({one.Name}))");
            _code.Line($"var c{i} = ({one.Name})value;");
            _code.Line($"buffer.WriteUVarint({one.Tag}u);");
            _code.Line($"{one.Serializer}.Write(in c{i}, buffer);");
            _code.Line("return;");
            _code.Close();
        }

        _code.Line($"PayloadWriter.ThrowNotInUnion(typeof({_message.Name}), value);");
    }

    /// <summary>Emits the body that reads a union.</summary>
    private void EmitUnionRead()
    {
        _code.Line("value = default;");
        _code.Line("if (!reader.TryReadUVarint(out var tag)) return false;");
        _code.Open("switch (tag)");
        for (var i = 0; i < _message.Cases.Count; i++)
        {
            var one = _message.Cases[i];
            _code.Open($"case {one.Tag}:");
            _code.Line($"if (!reader.TryAllow({one.Serializer}.Cost) || !{one.Serializer}.TryRead(ref reader, out var c{i})) return false;");
            _code.Line($"value = c{i};");
            _code.Line("return true;");
            _code.Close();
        }

        _code.Line("default: return false;");
        _code.Close();
    }
}
