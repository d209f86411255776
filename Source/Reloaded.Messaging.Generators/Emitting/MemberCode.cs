using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits expressions that read and set the members of a message, and create it. What only the type itself can access is reached by a class that is generated inside of it.</summary>
internal sealed class MemberCode(MessageModel message)
{
    /// <summary>The name of the class inside of the type.</summary>
    public const string Class = "GeneratedMessageAccess";

    private readonly string _access = $"{message.Name}.{Class}";

    public string Get(FieldModel field, string instance) =>
        field.IsHidden ? $"{_access}.Get_{field.Name}({(message.IsValueType ? "in " : "")}{instance})" : $"{instance}.@{field.Name}";

    /// <summary>Returns the statement that sets a member.</summary>
    public string Set(FieldModel field, string instance, string value) =>
        field.IsHidden ? $"{_access}.Set_{field.Name}({(message.IsValueType ? "ref " : "")}{instance}, {value});" : $"{instance}.@{field.Name} = {value};";

    /// <summary>Returns the expression that creates an instance without values.</summary>
    public string New() => message.IsCreatedInside ? $"{_access}.Create()" : $"new {message.Name}()";

    /// <summary>Emits the calls of the methods of the message. An exception of the program gets the name of the method.</summary>
    public void EmitCalls(CodeWriter code, string instance, bool isAfterReading)
    {
        foreach (var one in message.Callbacks.Where(one => one.IsAfterReading == isAfterReading))
        {
            var call = one.IsHidden ? $"{_access}.Call_{one.Method}({(message.IsValueType ? "ref " : "")}{instance})" : $"{instance}.@{one.Method}()";
            var text = ValueCode.Literal($"{message.DisplayName}.{one.Method} threw {(isAfterReading ? "after the message was read" : "before the message was written")}: ");
            code.Line($"try {{ {call}; }} catch (global::System.Exception e) {{ throw new global::System.InvalidOperationException({text} + e.Message, e); }}");
        }
    }

    /// <summary>Emits the class inside of the type.</summary>
    public void EmitAccess(CodeWriter code)
    {
        if (message.Declaration.Count == 0)
            return;
        code.Line();
        foreach (var line in message.Declaration)
            code.Open(line);
        code.Line("/// <summary>Accesses members that are not accessible elsewhere. Only the generated serializer uses it.</summary>");
        code.Line("[global::System.ComponentModel.EditorBrowsable(global::System.ComponentModel.EditorBrowsableState.Never)]");
        code.Line("[global::System.Runtime.CompilerServices.CompilerGenerated]");
        code.Open($"internal static class {Class}");
        foreach (var field in message.Fields.Where(static field => field.IsHidden))
        {
            code.Line($"public static {field.Type.Name} Get_{field.Name}({(message.IsValueType ? "in " : "")}{message.Name} value) => value.@{field.Name};");
            if (message.Construction == Construction.Setters)
                code.Line($"public static void Set_{field.Name}({(message.IsValueType ? "ref " : "")}{message.Name} value, {field.Type.Name} member) => value.@{field.Name} = member;");
        }

        foreach (var method in message.Callbacks.Where(static one => one.IsHidden).Select(static one => one.Method).Distinct())
            code.Line($"public static void Call_{method}({(message.IsValueType ? "ref " : "")}{message.Name} value) => value.@{method}();");
        if (message.IsCreatedInside)
        {
            EmitCreate(code, "Create", message.Initialized);
            if (message.Fields.Any(static field => field.IsInitial) && message.Construction == Construction.Values)
                EmitCreate(code, "CreateInitial", message.InitiallySet());
        }

        code.Close();
        foreach (var _ in message.Declaration)
            code.Close();
    }

    /// <summary>Returns the expression that creates an instance from variables.</summary>
    public string New(IEnumerable<string> members, bool isInitial, Func<string, string> local)
    {
        var arguments = message.Arguments.Select(argument => argument.Field is null ? $"default({argument.Type})" : local(argument.Field));
        return message.IsCreatedInside
            ? $"{_access}.Create{(isInitial ? "Initial" : "")}({string.Join(", ", arguments.Concat(members.Select(local)))})"
            : Construct(arguments, members.Select(name => (name, local(name))));
    }

    /// <summary>Returns the call of the constructor. It has named arguments, because the order of parameters may differ from the order of fields and optional parameters may be omitted.</summary>
    private string Construct(IEnumerable<string> arguments, IEnumerable<(string Name, string Value)> members)
    {
        var named = message.Arguments.Zip(arguments, static (argument, value) => $"@{argument.Parameter}: {value}");
        var set = string.Concat(members.Select(static member => $" @{member.Name} = {member.Value},"));
        return $"new {message.Name}({string.Join(", ", named)}){(set.Length == 0 ? "" : $" {{{set} }}")}";
    }

    private void EmitCreate(CodeWriter code, string name, IEnumerable<string> members)
    {
        var all = members.Select(static (member, i) => (Name: member, Value: $"m{i}")).ToList();
        var arguments = message.Arguments.Select(static (_, i) => $"a{i}").ToList();
        var parameters = message.Arguments.Zip(arguments, static (argument, value) => $"{argument.Type} {value}").Concat(all.Select(member => $"{message.Fields.First(field => field.Name == member.Name).Type.Name} {member.Value}"));
        code.Line($"public static {message.Name} {name}({string.Join(", ", parameters)}) => {Construct(arguments, all)};");
    }
}
