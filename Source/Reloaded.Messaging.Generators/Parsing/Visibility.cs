using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines from where a type and the types around it can be used.</summary>
internal static class Visibility
{
    /// <summary>Returns the reason why generated code cannot use a type, or <c>null</c> if it can.</summary>
    public static string? FindObstacle(INamedTypeSymbol type, Compilation compilation)
    {
        string? reason = null;
        for (var outer = type; outer is not null; outer = outer.ContainingType)
        {
            if (outer.IsGenericType)
                reason = "it is generic or nested in a generic type, and would need an id for each type argument";
            else if (!compilation.IsSymbolAccessibleWithin(outer, compilation.Assembly) || outer.IsFileLocal)
                reason = "generated code cannot access it; make it internal or public";
        }

        return reason;
    }

    /// <summary>Returns whether other assemblies can use a type.</summary>
    public static bool IsPublic(INamedTypeSymbol type)
    {
        for (var outer = type; outer is not null; outer = outer.ContainingType)
        {
            if (outer.DeclaredAccessibility != Accessibility.Public)
                return false;
        }

        return true;
    }
}
