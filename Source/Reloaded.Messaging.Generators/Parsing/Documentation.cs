using System.Linq;
using System.Text;
using System.Xml;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

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
