using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

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
            if (!compilation.IsSymbolAccessibleWithin(outer, compilation.Assembly) || HasFileLocal(outer))
                reason = "generated code cannot access it; make it internal or public";
        }

        return reason;
    }

    /// <summary>Returns the reason why an interface cannot be a type argument, or <c>null</c> if it can.</summary>
    public static string? FindStaticMember(INamedTypeSymbol type)
    {
        var unfinished = type.TypeKind != TypeKind.Interface ? null : type.AllInterfaces.Insert(0, type)
            .SelectMany(static part => part.GetMembers())
            .FirstOrDefault(member => member is { IsStatic: true, IsAbstract: true } && type.FindImplementationForInterfaceMember(member) is null);
        return unfinished is null ? null : $"'{unfinished.Name}' is static and abstract, and C# allows no such interface as a type argument";
    }

    /// <summary>Returns whether generated code finds a type by <c>global::</c>; <c>false</c> for a type of an assembly with an extern alias.</summary>
    public static bool IsGlobal(ITypeSymbol type, Compilation compilation) =>
        type.ContainingAssembly is not { } assembly || !CompilationCache.Of(compilation).IsAliased(assembly);

    /// <summary>Returns whether a type is or contains a type with the modifier <c>file</c>.</summary>
    public static bool HasFileLocal(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => HasFileLocal(array.ElementType),
        INamedTypeSymbol named => IsFileLocal(named) || named.TypeArguments.Any(HasFileLocal),
        _ => false,
    };

    /// <summary>Returns whether a type has the modifier <c>file</c>. Roslyn 4.3 knows neither the modifier nor <c>INamedTypeSymbol.IsFileLocal</c>.</summary>
    public static bool IsFileLocal(INamedTypeSymbol type) => type.DeclaringSyntaxReferences.Any(static reference =>
        reference.GetSyntax() is MemberDeclarationSyntax declaration && declaration.Modifiers.Any(static modifier => modifier.ValueText == "file"));

    /// <summary>Returns whether other assemblies can use a type.</summary>
    public static bool IsPublic(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
            return IsPublic(array.ElementType);
        for (var outer = type as INamedTypeSymbol; outer is not null; outer = outer.ContainingType)
        {
            if (outer.DeclaredAccessibility != Accessibility.Public || !outer.TypeArguments.All(static argument => argument.TypeKind == TypeKind.TypeParameter || IsPublic(argument)))
                return false;
        }

        return true;
    }
}
