using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Which of a partial type's declarations a member is in.</summary>
internal static class TypePart
{
    public static SyntaxNode? Of(SyntaxReference reference)
    {
        var node = reference.GetSyntax();
        return node as TypeDeclarationSyntax ?? node.Ancestors().OfType<TypeDeclarationSyntax>().FirstOrDefault();
    }
}
