using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the methods that return the contents of a collection or message to their pools, and then the collection or message.</summary>
internal sealed class ReleaseMethods(CodeWriter code, TypeMethods methods)
{
    public void Emit(string name, WireType type)
    {
        code.Open($"public static void {name}({type.Name} value)");
        code.Line("if (value is null) return;");
        if (type.Kind == WireKind.Message)
        {
            code.Line($"{type.Serializer}.Release(value);");
        }
        else
        {
            if (type.Kind != WireKind.HashSet && ValueCode.NeedsRelease(type.Element!)) // the items of a set are never rented
                code.Line($"foreach (var item in value) {methods.Release(type.Element!)}({(type.Kind == WireKind.Dictionary ? "item.Value" : "item")});");
            if (type.Kind != WireKind.Array)
                code.Line("PooledCollections.Return(value);");
        }

        code.Close();
    }
}
