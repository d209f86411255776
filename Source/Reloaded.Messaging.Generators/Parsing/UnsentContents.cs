using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds contents of a message that are not sent: those of a base class without a contract, the items of a collection, and members that are not public.</summary>
internal static class UnsentContents
{
    /// <summary>Returns the reason why the contents of a base class are not sent, or <c>null</c> if no base class has such contents.</summary>
    /// <remarks>Only the author of an assembly with contracts declares its classes for messages. The fields of other classes are not known, and a value from outside must not set their properties.</remarks>
    public static string? FindInBases(INamedTypeSymbol type, Compilation compilation)
    {
        for (var part = type.BaseType; part is { SpecialType: SpecialType.None, TypeKind: not TypeKind.Error }; part = part.BaseType)
        {
            if (SymbolEqualityComparer.Default.Equals(part.ContainingAssembly, compilation.Assembly) || HasContracts(part.ContainingAssembly) || part.ToDisplayString() == "System.EventArgs")
                continue;
            var name = $"its base class {part.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat)} is";
            return IsCollection(part)
                ? $"{name} a collection, whose items are not sent; derive from no collection, and declare a member with the items"
                : $"{name} of an assembly without contracts, and its contents are not sent; derive from no such class, and declare members with the values";
        }

        return null;
    }

    /// <summary>Returns whether a message is a collection to which items can be added, and no member has the items.</summary>
    public static bool HasItems(INamedTypeSymbol type, List<Member> members) =>
        IsCollection(type) && CanAdd(type) && !members.Exists(static member => member.Type.SpecialType != SpecialType.System_String && IsCollection(member.Type));

    /// <summary>Finds the fields and automatic properties that a message does not send, probably by mistake, because they are not public.</summary>
    /// <remarks>A member with a written accessibility, such as a cache with <c>private</c>, is hidden on purpose while other members are sent. So is the field behind a property that is sent.</remarks>
    public static IEnumerable<ISymbol> FindHidden(INamedTypeSymbol type, Compilation compilation)
    {
        var members = type.IsAbstract ? null : MemberReader.Read(type, compilation);
        for (var part = type; part is not null && members is not null; part = part.BaseType)
        {
            // A base class that is a message is reported itself.
            var isOther = !SymbolEqualityComparer.Default.Equals(part, type) && Names.Has(part, Names.Message);
            if (isOther || !SymbolEqualityComparer.Default.Equals(part.ContainingAssembly, compilation.Assembly))
                continue;
            foreach (var symbol in part.GetMembers().OfType<IFieldSymbol>().Where(static field => !field.IsStatic).Select(static field => field.AssociatedSymbol ?? field))
            {
                if (symbol is IEventSymbol || symbol.IsImplicitlyDeclared || Names.Has(symbol, Names.Ignore) || members.Exists(member => member.Symbol.Name == symbol.Name))
                    continue;
                var isDeliberate = symbol.DeclaredAccessibility != Accessibility.Public && (HasAccessibility(symbol) || members.Exists(member => MemberReader.Uses(member, symbol)));
                if (members.Count == 0 || !isDeliberate)
                    yield return symbol;
            }
        }
    }

    private static bool HasAccessibility(ISymbol symbol) => symbol.DeclaringSyntaxReferences.Any(static reference =>
        reference.GetSyntax().FirstAncestorOrSelf<MemberDeclarationSyntax>() is { } declaration &&
        declaration.Modifiers.Any(static modifier => modifier.Kind() is SyntaxKind.PrivateKeyword or SyntaxKind.InternalKeyword or SyntaxKind.ProtectedKeyword));

    private static bool CanAdd(INamedTypeSymbol type)
    {
        var canAdd = type.AllInterfaces.Any(static one => one.OriginalDefinition.SpecialType == SpecialType.System_Collections_Generic_ICollection_T);
        for (var part = type; part is not null && !canAdd; part = part.BaseType)
            canAdd = part.GetMembers("Add").Any(static one => one is IMethodSymbol { IsStatic: false, Parameters.IsEmpty: false });
        return canAdd;
    }

    /// <summary>Returns whether a type can be enumerated.</summary>
    public static bool IsCollection(ITypeSymbol type) =>
        type.SpecialType == SpecialType.System_Collections_IEnumerable || type.AllInterfaces.Any(static one => one.SpecialType == SpecialType.System_Collections_IEnumerable);

    private static bool HasContracts(IAssemblySymbol assembly) =>
        Names.Generated.Split('.').Aggregate((INamespaceSymbol?)assembly.GlobalNamespace, static (space, name) => space?.GetNamespaceMembers().FirstOrDefault(one => one.Name == name)) is not null;
}
