using System.Linq;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the additional methods of a pooled message's serializer, which rent, reset and return instances.</summary>
internal sealed class PoolMethods(CodeWriter code, TypeMethods methods, MessageModel message)
{
    private readonly MemberCode _members = new(message);

    public void Emit()
    {
        var name = message.Name;
        code.Line();
        code.Line($"private static readonly {name} s_blank = {_members.New()};");
        code.Line();
        code.Open($"public bool TryDeserializePooled(global::System.ReadOnlySpan<byte> payload, out {name} value)");
        code.Line("var reader = new PayloadReader(payload);");
        code.Line("return TryReadPooled(ref reader, out value);");
        code.Close();
        code.Line();
        code.Line($"public void Return({name} value) => Release(value);");
        code.Line();
        code.Open($"public static bool TryReadPooled(ref PayloadReader reader, out {name} value)");
        code.Line($"if (!InstancePool<{name}>.TryRent(out value)) value = Blank({_members.New()});");
        code.Line("if (TryReadInto(ref reader, value)) return true;");
        code.Line("Release(value);");
        code.Line("value = default;");
        code.Line("return false;");
        code.Close();
        code.Line();
        code.Open($"public static void Release({name} value)");
        foreach (var field in message.Fields)
            EmitRelease(field);
        code.Line($"InstancePool<{name}>.Return(Blank(value));");
        code.Close();
        code.Line();
        code.Open($"private static {name} Blank({name} value)");
        foreach (var field in message.Fields)
        {
            code.Line(_members.Set(field, "value", IsShared(field.Type) ? "default" : _members.Get(field, "s_blank")));
        }

        code.Line("return value;");
        code.Close();
    }

    /// <summary>Returns whether a value of the type is shared by reference, so that two instances with the same value see each other's changes.</summary>
    private static bool IsShared(WireType type) => type.Kind switch
    {
        WireKind.String or WireKind.Text => false,
        WireKind.Nullable => IsShared(type.Element!),
        WireKind.Tuple => type.Items!.Any(IsShared),
        _ => type.IsReference || type.HoldsReferences,
    };

    private void EmitRelease(FieldModel field)
    {
        if (ValueCode.NeedsRelease(field.Type))
        {
            // A getter written by the program may return a shared instance instead of null. A shared instance must not be released.
            if (field.HasOwnGetter)
                code.Line($"if (!ReferenceEquals({_members.Get(field, "value")}, {_members.Get(field, "s_blank")}))");
            // Two properties may show one collection, as after a rename: the first release clears both, so the collection is returned once.
            code.Line($"{methods.Release(field.Type)}({_members.Get(field, "value")});");
            code.Line(_members.Set(field, "value", "default"));
        }
        else if (field is { IsSecret: true, Type.Kind: WireKind.Array })
        {
            code.Line($"if ({_members.Get(field, "value")} != null) global::System.Array.Clear({_members.Get(field, "value")}, 0, {_members.Get(field, "value")}.Length);");
        }
    }
}
