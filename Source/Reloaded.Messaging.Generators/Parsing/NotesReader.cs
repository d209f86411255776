using System.Linq;
using System.Text;
using System.Xml;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Reads what the schema says of a declaration in addition to its bytes: documentation, <c>[Obsolete]</c>, and the reply of a request.</summary>
internal static class NotesReader
{
    private const string Obsolete = "System.ObsoleteAttribute";
    private const string Flags = "System.FlagsAttribute";
    private const string Request = Names.Contracts + ".IRequest";
    private const string StreamRequest = Names.Contracts + ".IStreamRequest<TItem>";

    /// <summary>The notes of a declaration.</summary>
    /// <param name="symbol">The type, member or parameter.</param>
    /// <param name="parameter">The parameter from which a positional record creates the member.</param>
    public static Notes Of(ISymbol symbol, IParameterSymbol? parameter = null) => new(
        Documentation.Of(symbol) ?? (parameter is null ? null : Documentation.Of(parameter)),
        Names.FindAttribute(symbol, Obsolete) is { } attribute ? Names.Argument(attribute, 0) as string ?? "" : null);

    /// <summary>The use of a message as its type declares it.</summary>
    public static ContractUse UseOf(INamedTypeSymbol type, ITypeSymbol? compressor)
    {
        var use = new ContractUse(ContractRole.Unknown, null, null, null, compressor is null ? null : CompressorNames.Find(compressor));
        foreach (var implemented in type.AllInterfaces)
        {
            if (implemented.OriginalDefinition.ToDisplayString() == Request)
                use = use with { Role = ContractRole.Request, HasReply = false };
            else if (implemented.OriginalDefinition.ToDisplayString() == Request + "<TReply>")
                return use with { Role = ContractRole.Request, HasReply = true, Reply = IdOf(implemented.TypeArguments[0]) };
            else if (implemented.OriginalDefinition.ToDisplayString() == StreamRequest)
                use = use with { Role = ContractRole.Stream, Item = IdOf(implemented.TypeArguments[0]) };
        }

        return use;
    }

    /// <summary>The notes of an enum or of a plain struct; <see langword="null"/> for all other types.</summary>
    public static TypeNotes? OfType(ITypeSymbol type)
    {
        if (type.TypeKind == TypeKind.Enum)
            return new TypeNotes(Of(type), Names.Has(type, Flags), new(type.GetMembers().OfType<IFieldSymbol>().Where(static field => field.HasConstantValue).Select(static field => Of(field))));
        return type.TypeKind == TypeKind.Struct ? new TypeNotes(Of(type), false, new([])) : null;
    }

    /// <summary>The id of a reply; <see langword="null"/> if its type has no attribute.</summary>
    public static long? IdOf(ITypeSymbol reply) =>
        reply is INamedTypeSymbol named && Names.FindAttribute(named, Names.Message) is { } attribute ? MessageIds.Read(named, attribute) : null;
}

/// <summary>The names of the formats of compressors.</summary>
internal static class CompressorNames
{
    /// <returns>The name; <see langword="null"/> if it is known at run time only.</returns>
    public static string? Find(ITypeSymbol compressor)
    {
        for (var type = compressor; type is not null; type = type.BaseType)
        {
            // The compiler does not see the properties' bodies in a compiled package.
            if (type.GetMembers("FormatName").OfType<IFieldSymbol>().FirstOrDefault()?.ConstantValue is string name)
                return name;
            if (type.GetMembers("Name").OfType<IPropertySymbol>().FirstOrDefault() is { } property)
                return FindInSource(property);
        }

        return null;
    }

    private static string? FindInSource(IPropertySymbol property)
    {
        var declaration = property.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() as PropertyDeclarationSyntax;
        return (declaration?.ExpressionBody?.Expression ?? declaration?.Initializer?.Value) is LiteralExpressionSyntax { Token.Value: string name } ? name : null;
    }
}
