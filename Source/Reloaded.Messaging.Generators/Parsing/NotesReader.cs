using System;
using System.Collections.Generic;
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

/// <summary>Reads summaries from comments.</summary>
/// <remarks>The comments are read as text, since a build without an XML file does not parse them, and an editor does. The schema has to be the same in both.</remarks>
internal static class Documentation
{
    /// <summary>The summary of a declaration in one line; <see langword="null"/> if there is none.</summary>
    public static string? Of(ISymbol symbol) => symbol.DeclaringSyntaxReferences
        .Select(static reference => Of(reference.GetSyntax()))
        .Where(static text => text is not null)
        .OrderBy(static text => text, StringComparer.Ordinal) // the parts of a partial type have no order
        .FirstOrDefault();

    private static string? Of(SyntaxNode node) => node switch
    {
        VariableDeclaratorSyntax { Parent.Parent: BaseFieldDeclarationSyntax field } => Read(field, static _ => true, "summary"),
        ParameterSyntax { Parent.Parent: TypeDeclarationSyntax or MethodDeclarationSyntax or DelegateDeclarationSyntax } parameter =>
            Read(parameter.Parent!.Parent!, element => element.Attribute("name")?.Value == parameter.Identifier.ValueText, "param"),
        MemberDeclarationSyntax member => Read(member, static _ => true, "summary"),
        _ => null,
    };

    private static string? Read(SyntaxNode declaration, Func<XElement, bool> filter, string tag)
    {
        var comment = new StringBuilder();
        foreach (var line in declaration.GetLeadingTrivia().ToFullString().Split('\n'))
        {
            var text = line.Trim();
            if (text.StartsWith("///", StringComparison.Ordinal))
                comment.Append(text, 3, text.Length - 3).Append('\n');
        }

        try
        {
            var element = comment.Length == 0 ? null : XElement.Parse($"<doc>{comment}</doc>", LoadOptions.PreserveWhitespace).Elements(tag).FirstOrDefault(filter);
            var summary = element is null ? "" : string.Join(" ", TextOf(element).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
            return summary.Length == 0 ? null : summary;
        }
        catch (XmlException)
        {
            return null; // the compiler warns of such a comment, if it reads comments
        }
    }

    private static string TextOf(XElement element) => string.Concat(element.Nodes().Select(static node => node switch
    {
        XText text => text.Value,
        XElement { IsEmpty: true } reference => Last(reference.Attributes().FirstOrDefault()?.Value ?? ""),
        XElement inner => TextOf(inner),
        _ => "",
    }));

    /// <summary>The last name of a reference such as <c>Game.Move.X</c>, without parameters.</summary>
    private static string Last(string reference)
    {
        var name = reference.Split('(')[0];
        return name.Substring(name.LastIndexOf('.') + 1);
    }
}
