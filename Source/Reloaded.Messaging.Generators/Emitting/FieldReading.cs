using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the body of the method that reads the fields of a message, by order or by number. The fields are read into an instance, or into variables from which the instance is constructed at the end.</summary>
internal sealed class FieldReading(CodeWriter code, ValueCode values, MessageModel message)
{
    private readonly MemberCode _members = new(message);
    private readonly bool _needsCompletion = message.Fields.Any(static field => field.Type is { IsReference: true, MayBeNull: false } or { Wrapper.IsUnset: not null });
    private string _instance = "value";

    /// <summary>Emits the body.</summary>
    /// <param name="isPooled">Whether the body reads into a rented instance.</param>
    public void Emit(bool isPooled)
    {
        var setsMembers = message.Construction == Construction.Setters;
        if (!setsMembers)
        {
            code.Line("value = default;");
            for (var i = 0; i < message.Fields.Count; i++)
            {
                code.Line($"{message.Fields[i].Type.Name} f{i} = {message.Fields[i].Default ?? "default"};");
                if (message.Fields[i].IsInitial)
                    code.Line($"var h{i} = false;"); // whether the sender has the field
            }
        }
        else if (isPooled || message.IsValueType)
        {
            _instance = "value";
            if (!isPooled)
                code.Line($"value = {_members.New()};");
        }
        else
        {
            // The generated code reads into a local, because the variable of an out parameter would be loaded again for each member.
            _instance = "made";
            code.Line($"var made = {_members.New()};");
            code.Line("value = made;");
        }

        if (message.IsVersionTolerant)
            EmitNumbered(setsMembers, isPooled);
        else
            EmitOrdered(setsMembers, isPooled);
    }

    private void EmitOrdered(bool setsMembers, bool isPooled)
    {
        for (var i = 0; i < message.Fields.Count;)
        {
            var run = FixedRun.At(message.Fields, i);
            if (run.Count < 2)
            {
                EmitNext(i++, setsMembers, isPooled);
                continue;
            }

            // The payload of an older sender may end within the run: then each field is read by itself.
            code.Open($"if (reader.TryTakeRun({FixedRun.SizeOf(run)}, out var run{i}))");
            EmitRun($"run{i}", i, run, setsMembers);
            code.Close();
            code.Open("else");
            for (var end = i + run.Count; i < end; i++)
                EmitNext(i, setsMembers, isPooled, isRare: true);
            code.Close();
        }

        if (!setsMembers)
            EmitMaking();
        code.Line("return true;"); // the rest was written by a newer sender and is skipped
    }

    private void EmitNext(int index, bool setsMembers, bool isPooled, bool isRare = false)
    {
        var field = message.Fields[index];
        if (setsMembers)
        {
            code.Line($"if (reader.IsAtEnd) return {Complete(isPooled)};");
            EmitSetting(field, index, isPooled, isRare);
        }
        else
        {
            var read = Read(field, $"f{index}", isPooled, isRare);
            code.Line(field.IsInitial ? $"if (!reader.IsAtEnd) {{ if (!{read}) return false; h{index} = true; }}" : $"if (!reader.IsAtEnd && !{read}) return false;");
        }
    }

    private void EmitRun(string run, int first, List<FieldModel> fields, bool setsMembers)
    {
        var offset = 0;
        for (var i = 0; i < fields.Count; i++)
        {
            var (field, local) = (fields[i], $"f{first + i}");
            if (field.Type.Kind != WireKind.Fixed)
            {
                code.Line($"if (!PayloadReader.TryGetBoolean({run}, {offset}, out {(setsMembers ? "bool " : "")}{local})) return false;");
                if (setsMembers)
                    code.Line(_members.Set(field, _instance, local));
            }
            else
            {
                var value = $"PayloadReader.Get<{field.Type.Name}>({run}, {offset})";
                code.Line(setsMembers ? _members.Set(field, _instance, value) : $"{local} = {value};");
            }

            if (!setsMembers && field.IsInitial)
                code.Line($"h{first + i} = true;");
            offset += field.Type.MinBytes;
        }
    }

    private void EmitNumbered(bool setsMembers, bool isPooled)
    {
        code.Line("var last = -1L;");
        code.Open("while (!reader.IsAtEnd)");
        code.Line("if (!reader.TryEnterField(last, out var number, out var end)) return false;");
        code.Line("last = number;");
        code.Open("switch (number)");
        for (var i = 0; i < message.Fields.Count; i++)
        {
            var field = message.Fields[i];
            code.Open($"case {field.Number}:");
            if (setsMembers)
                EmitSetting(field, i, isPooled);
            else
                code.Line($"if (!{Read(field, $"f{i}", isPooled)}) return false;{(field.IsInitial ? $" h{i} = true;" : "")}");
            code.Line("break;");
            code.Close();
        }

        code.Line("default: reader.Leave(end); continue;");
        code.Close();
        code.Line("if (!reader.TryLeaveField(end)) return false;");
        code.Close();
        if (!setsMembers)
            EmitMaking();
        code.Line($"return {(setsMembers ? Complete(isPooled) : "true")};");
    }

    private void EmitSetting(FieldModel field, int index, bool isPooled, bool isRare = false)
    {
        // A rented value is stored in the instance even if reading it failed, because releasing the instance then returns the value.
        var read = Read(field, $"{field.Type.Name} f{index}", isPooled, isRare);
        if (isPooled && ValueCode.NeedsRelease(field.Type))
        {
            code.Line($"var r{index} = {read};");
            code.Line(_members.Set(field, _instance, $"f{index}"));
            code.Line($"if (!r{index}) return false;");
            return;
        }

        code.Line($"if (!{read}) return false;");
        code.Line(_members.Set(field, _instance, $"f{index}"));
    }

    private void EmitMaking()
    {
        EmitMissing(isInitial: false);
        var initial = Enumerable.Range(0, message.Fields.Count).Where(i => message.Fields[i].IsInitial).ToList();
        if (initial.Count > 0)
        {
            // Only C# computes these values. Members with 'init' cannot be set later, so the values are taken from another instance.
            code.Open($"if (!({string.Join(" & ", initial.Select(static i => $"h{i}"))}))");
            code.Line($"var initial = {_members.New(message.InitiallySet(), isInitial: true, Local)};");
            foreach (var i in initial)
                code.Line($"if (!h{i}) f{i} = {_members.Get(message.Fields[i], "initial")};");
            code.Close();
        }

        EmitMissing(isInitial: true);
        code.Line($"value = {_members.New(message.Initialized, isInitial: false, Local)};");
    }

    private void EmitMissing(bool isInitial)
    {
        for (var i = 0; i < message.Fields.Count; i++)
        {
            if (message.Fields[i].IsInitial == isInitial)
                EmitLocal(i);
        }
    }

    private string Local(string field) => $"f{message.Fields.TakeWhile(one => one.Name != field).Count()}";

    private void EmitLocal(int index) => EmitMissing(message.Fields[index], $"f{index}", value => $"f{index} = {value};", isPooled: false);

    /// <summary>Emits the method that gives a value to non-nullable members that the sender did not send.</summary>
    public void EmitComplete(bool isPooled)
    {
        if (!_needsCompletion)
            return;
        code.Line();
        code.Open($"private static bool {CompleteName(isPooled)}({(message.IsValueType ? "ref " : "")}{message.Name} value)");
        foreach (var field in message.Fields)
            EmitMissing(field, _members.Get(field, "value"), value => _members.Set(field, "value", value), isPooled);
        code.Line("return true;");
        code.Close();
    }

    private void EmitMissing(FieldModel field, string target, Func<string, string> set, bool isPooled)
    {
        var type = field.Type;
        if (type.Wrapper is { IsUnset: { } isUnset })
            code.Line($"if ({target}{isUnset}) {set(Empty(type))}");
        if (!type.IsReference || type.MayBeNull)
            return;
        var instead = type.Kind switch
        {
            WireKind.String => "\"\"",
            WireKind.Text => TextCode.Find(type.Name)!.Missing,
            WireKind.List when isPooled => $"PooledCollections.RentList<{type.Element!.Name}>(0)",
            WireKind.HashSet when isPooled => $"PooledCollections.RentSet<{type.Element!.Name}>(0)",
            WireKind.Dictionary when isPooled => $"PooledCollections.RentDictionary<{type.Key!.Name}, {type.Element!.Name}>(0)",
            _ when type.Wrapper?.Missing is { } missing => missing,
            _ when type.Wrapper is { Rank: > 0 } => ValueCode.NewArray(type, string.Join(", ", Enumerable.Repeat("0", type.Wrapper.Rank))),
            _ when type.IsCollection || type is { Kind: WireKind.Wrapped, Element.IsCollection: true, Wrapper.Converter: null } => Empty(type),
            _ => null,
        };
        code.Line(instead is null ? $"if ({target} is null) return false;" : $"if ({target} is null) {set(instead)}");
    }

    private static string Empty(WireType type) => type.Kind switch
    {
        WireKind.Wrapped => type.Wrapper!.Make.Replace("{0}", Empty(type.Element!)),
        WireKind.Array => $"global::System.Array.Empty<{type.Element!.Name}>()",
        _ => $"new {type.Name}()",
    };

    private string Read(FieldModel field, string local, bool isPooled, bool isRare = false) => isRare && field.Type.Kind == WireKind.Fixed
        ? $"reader.TryReadRareFixed(out {local})"
        : values.Read(field.Type, local, field.IsInterned, isPooled, ValueCode.Literal($"{message.DisplayName}.{field.Name}"));

    private string Complete(bool isPooled) => !_needsCompletion ? "true" : $"{CompleteName(isPooled)}({(message.IsValueType ? "ref " : "")}value)";

    private static string CompleteName(bool isPooled) => isPooled ? "CompletePooled" : "Complete";
}
