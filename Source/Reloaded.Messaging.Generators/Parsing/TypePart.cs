using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Identifies the part of a partial type that declares a member.</summary>
internal static class TypePart
{
    public static SyntaxNode? Of(SyntaxReference reference)
    {
        var node = reference.GetSyntax();
        return node as TypeDeclarationSyntax ?? node.Ancestors().OfType<TypeDeclarationSyntax>().FirstOrDefault();
    }
}
