using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Reads the declarations of closed types: <c>[assembly: GenericMessage(typeof(Page&lt;Mod&gt;), 12)]</c>.</summary>
internal static class GenericDeclarations
{
    /// <summary>Returns the type that a declaration names; <c>null</c> for another attribute.</summary>
    public static INamedTypeSymbol? TypeOf(AttributeData attribute) => Is(attribute) ? Names.Argument(attribute, 0) as INamedTypeSymbol : null;

    /// <summary>Returns the assembly that declares a closed type, and the declaration; <c>null</c> if the type is only inside of messages.</summary>
    public static (IAssemblySymbol Assembly, AttributeData Declaration)? Find(INamedTypeSymbol type)
    {
        foreach (var assembly in AssembliesOf(type))
        {
            foreach (var attribute in assembly.GetAttributes())
            {
                if (SymbolEqualityComparer.Default.Equals(TypeOf(attribute), type))
                    return (assembly, attribute);
            }
        }

        return null;
    }

    /// <summary>The id of a closed type.</summary>
    public static long IdOf(INamedTypeSymbol type) =>
        Find(type) is var (_, declaration) && GivenId(declaration) is { } id ? id : Fnv.DeriveId(GenericNames.InSchema(Names.Qualified(type)));

    /// <summary>The id of a declaration, even if it is out of range; <c>null</c> if the id is derived.</summary>
    public static long? GivenId(AttributeData declaration) => Names.Argument(declaration, 1) is long and not -1 and var id ? id : null;

    /// <summary>Returns whether an assembly declares a closed type.</summary>
    public static bool IsDeclaredIn(INamedTypeSymbol type, IAssemblySymbol assembly) => SymbolEqualityComparer.Default.Equals(Find(type)?.Assembly, assembly);

    /// <summary>Returns whether the current assembly has the serializer of a closed type. If another assembly declares the type, its serializer is used if it treats null in the same way.</summary>
    public static bool IsOwn(INamedTypeSymbol type, Compilation compilation) =>
        Find(type) is not var (assembly, _) || SymbolEqualityComparer.Default.Equals(assembly, compilation.Assembly) ||
        assembly.GetTypeByMetadataName($"{Names.Generated}.{Names.Serializer(type)}") is not { } serializer || !compilation.IsSymbolAccessibleWithin(serializer, compilation.Assembly);

    /// <summary>Returns the mistake of a declaration, or <c>null</c> if it declares a message. An empty text is a mistake that the compiler reports.</summary>
    public static string? FindMistake(AttributeData declaration, Compilation compilation)
    {
        if (Names.Argument(declaration, 0) is not ITypeSymbol type)
            return "it names no type";
        if (type.TypeKind == TypeKind.Error)
            return "";
        if (type is not INamedTypeSymbol named || !GenericMessages.Is(named))
            return type is INamedTypeSymbol { IsGenericType: true } ? "mark the generic type [Message]" : "it is not generic; mark the type itself [Message]";
        if (named.IsUnboundGenericType)
            return "it has no type arguments; declare each closed type";
        if (!AssembliesOf(named).Contains(compilation.Assembly, SymbolEqualityComparer.Default))
            return "neither the generic type nor a type argument is of this assembly, and another assembly may declare it too; declare it there, or derive a message from it";
        if (Find(named) is var (assembly, first) && SyntaxOf(first) != SyntaxOf(declaration))
            return $"the assembly {assembly.Name} declares it already";
        return GenericMessages.FindObstacle(named, compilation) ?? GenericMessages.FindFault(named, CompilationCache.Of(compilation).Converters, compilation);
    }

    /// <summary>The code of a declaration of the current assembly.</summary>
    public static SyntaxNode? SyntaxOf(AttributeData declaration) => declaration.ApplicationSyntaxReference?.GetSyntax();

    public static bool Is(AttributeData attribute) => attribute.AttributeClass is { Name: "GenericMessageAttribute" } type && type.ToDisplayString() == Names.GenericMessage;

    /// <summary>The assemblies of a generic type and of its type arguments. No two of them can declare one closed type without a reference from one to the other.</summary>
    private static IEnumerable<IAssemblySymbol> AssembliesOf(ITypeSymbol type) => AssembliesIn(type).Distinct<IAssemblySymbol>(SymbolEqualityComparer.Default);

    private static IEnumerable<IAssemblySymbol> AssembliesIn(ITypeSymbol type)
    {
        if (type is IArrayTypeSymbol array)
            return AssembliesIn(array.ElementType);
        var found = Enumerable.Empty<IAssemblySymbol>();
        for (var outer = type as INamedTypeSymbol; outer is not null; outer = outer.ContainingType)
            found = found.Concat(outer.TypeArguments.SelectMany(AssembliesIn));
        return type.ContainingAssembly is { } own ? found.Prepend(own) : found;
    }
}
