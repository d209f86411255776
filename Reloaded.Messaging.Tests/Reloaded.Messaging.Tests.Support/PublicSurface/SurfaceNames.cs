using System.Linq;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>Types as a C# programmer writes them, without namespaces.</summary>
public static class SurfaceNames
{
    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(ushort)] = "ushort",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
    };

    public static string Of(Type type)
    {
        if (s_keywords.TryGetValue(type, out var keyword))
            return keyword;
        if (type.IsGenericParameter)
            return type.Name;
        if (type.IsByRef)
            return "ref " + Of(type.GetElementType()!);
        if (type.IsArray)
            return Of(type.GetElementType()!) + "[]";
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Of(underlying) + "?";

        // A nested type repeats its parents' arguments before its own.
        var arguments = type.GetGenericArguments();
        var inherited = type.DeclaringType?.GetGenericArguments().Length ?? 0;
        var name = type.Name.Split('`')[0];
        if (arguments.Length > inherited)
            name += $"<{string.Join(", ", arguments.Skip(inherited).Select(Of))}>";
        return type.DeclaringType is { } outer ? $"{Of(outer)}.{name}" : name;
    }
}
