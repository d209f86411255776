using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines whether generated code can be inside of a type, and so can access its members that are not accessible elsewhere.</summary>
internal static class PartialTypes
{
    /// <summary>Returns whether a type and the types around it are partial, and are not generic.</summary>
    public static bool Is(INamedTypeSymbol type, Compilation compilation) =>
        !type.IsGenericType && SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, compilation.Assembly) && Around(type).All(IsPartial);

    /// <summary>Returns whether a member can be accessed in a type, or anywhere in the assembly.</summary>
    /// <param name="member">The member.</param>
    /// <param name="type">The type.</param>
    /// <param name="compilation">The compilation.</param>
    /// <param name="isInside">Whether generated code is inside of the type.</param>
    public static bool CanAccess(ISymbol member, INamedTypeSymbol type, Compilation compilation, bool isInside) =>
        compilation.IsSymbolAccessibleWithin(member, compilation.Assembly) || (isInside && compilation.IsSymbolAccessibleWithin(member, type, type));

    /// <summary>The declarations of a type and of what is around it, outermost first, to which a part can be added.</summary>
    public static IEnumerable<string> DeclarationsOf(INamedTypeSymbol type)
    {
        if (!type.ContainingNamespace.IsGlobalNamespace)
            yield return $"namespace {string.Concat(type.ContainingNamespace.ToDisplayParts(SymbolDisplayFormat.FullyQualifiedFormat.WithGlobalNamespaceStyle(SymbolDisplayGlobalNamespaceStyle.Omitted)).Select(static part => part.Kind == SymbolDisplayPartKind.NamespaceName ? Names.Escaped(part.ToString().TrimStart('@')) : part.ToString()))}";
        foreach (var one in Around(type).Reverse())
            yield return $"partial {KindOf(one)} {Names.Escaped(one.Name)}";
    }

    private static IEnumerable<INamedTypeSymbol> Around(INamedTypeSymbol type)
    {
        for (var outer = type; outer is not null; outer = outer.ContainingType)
            yield return outer;
    }

    private static bool IsPartial(INamedTypeSymbol type) => type.DeclaringSyntaxReferences.Any(static reference =>
        reference.GetSyntax() is TypeDeclarationSyntax declaration && declaration.Modifiers.Any(SyntaxKind.PartialKeyword));

    private static string KindOf(INamedTypeSymbol type) => type.TypeKind switch
    {
        TypeKind.Interface => "interface",
        TypeKind.Struct => type.IsRecord ? "record struct" : "struct",
        _ => type.IsRecord ? "record" : "class",
    };
}
