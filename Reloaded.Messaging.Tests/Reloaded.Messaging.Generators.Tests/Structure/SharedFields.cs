using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>Finds the fields of sources that <c>Volatile</c> or <c>Interlocked</c> accesses, and those that are declared as volatile.</summary>
/// <remarks>A field has the name of its types in front, such as <c>Outbox._lanes</c>. A word in shared memory has the name of its offset, or of the pointer to it.</remarks>
internal sealed class SharedFields
{
    private static readonly HashSet<string> s_accesses = new(StringComparer.Ordinal) { "Volatile", "Interlocked" };

    private readonly List<(string File, SyntaxNode Root)> _files;
    private readonly ILookup<string, (string Name, string File)> _declared; // by the name without types

    /// <param name="files">The names of the files, and their texts.</param>
    public SharedFields(IEnumerable<(string File, string Text)> files)
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: ["NET8_0_OR_GREATER"]);
        _files = [.. files.Select(file => (file.File, CSharpSyntaxTree.ParseText(file.Text, options).GetRoot()))];
        _declared = (
            from file in _files
            from field in file.Root.DescendantNodes().OfType<FieldDeclarationSyntax>()
            from variable in field.Declaration.Variables
            select (Name: NameOf(field, variable.Identifier.Text), file.File)).ToLookup(static field => field.Name.Split('.')[^1], StringComparer.Ordinal);
    }

    /// <summary>Returns the fields, each with the file that declares it.</summary>
    public IEnumerable<(string File, string Field)> Find() => _files
        .SelectMany(file => FindIn(file.Root), (file, field) => (FilesOf(field).DefaultIfEmpty(file.File).First(), field))
        .Distinct();

    private IEnumerable<string> FilesOf(string field) => _declared[field.Split('.')[^1]].Where(declared => declared.Name == field).Select(static declared => declared.File);

    private IEnumerable<string> FindIn(SyntaxNode root)
    {
        foreach (var field in root.DescendantNodes().OfType<FieldDeclarationSyntax>().Where(static field => field.Modifiers.Any(SyntaxKind.VolatileKeyword)))
        {
            foreach (var variable in field.Declaration.Variables)
                yield return NameOf(field, variable.Identifier.Text);
        }

        var places =
            from call in root.DescendantNodes().OfType<InvocationExpressionSyntax>()
            where call.Expression is MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax type } && s_accesses.Contains(type.Identifier.Text)
            from argument in call.ArgumentList.Arguments.Take(1)
            select argument.Expression;
        foreach (var field in places.SelectMany(Resolve))
            yield return field;
    }

    /// <summary>Returns the fields behind an expression; none for a parameter or for the result of a method, whose caller or body names the field.</summary>
    private IEnumerable<string> Resolve(ExpressionSyntax place) => place switch
    {
        RefExpressionSyntax reference => Resolve(reference.Expression),
        ParenthesizedExpressionSyntax inner => Resolve(inner.Expression),
        ConditionalExpressionSyntax choice => [.. Resolve(choice.WhenTrue), .. Resolve(choice.WhenFalse)],
        ElementAccessExpressionSyntax element => Resolve(element.Expression),
        PrefixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.PointerIndirectionExpression } pointer => [ResolvePointer(pointer.Operand)],
        MemberAccessExpressionSyntax member => [FindDeclared(member)],
        IdentifierNameSyntax name when FindLocal(name) is { } local => local.Initializer?.Value is RefExpressionSyntax alias ? Resolve(alias) : [],
        IdentifierNameSyntax name => FindOwn(name),
        _ => [],
    };

    /// <summary>Returns the offset in a map that a pointer is added to, or the name of the pointer.</summary>
    private static string ResolvePointer(ExpressionSyntax pointer)
    {
        if (pointer.DescendantNodesAndSelf().OfType<MemberAccessExpressionSyntax>().FirstOrDefault(static member => member.Expression.ToString().EndsWith("Layout", StringComparison.Ordinal)) is { } offset)
            return offset.ToString();
        return NameOf(pointer, pointer.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>().Last().Identifier.Text);
    }

    /// <summary>Returns the field of another object. If several types have such a field, the name of the object is the name of its type.</summary>
    private string FindDeclared(MemberAccessExpressionSyntax member)
    {
        var candidates = _declared[member.Name.Identifier.Text].Select(static field => field.Name).Distinct().ToList();
        var owner = member.Expression.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>().LastOrDefault()?.Identifier.Text.TrimStart('_') ?? "";
        return candidates.Count == 1
            ? candidates[0]
            : candidates.Find(name => name.EndsWith($"{owner}.{member.Name.Identifier.Text}", StringComparison.OrdinalIgnoreCase)) ?? NameOf(member, member.Name.Identifier.Text);
    }

    /// <summary>Returns the field of the innermost type around an expression that has a field of that name.</summary>
    private string[] FindOwn(IdentifierNameSyntax name)
    {
        var own = NameOf(name, name.Identifier.Text);
        return FilesOf(own).Any() ? [own] : [];
    }

    private static VariableDeclaratorSyntax? FindLocal(IdentifierNameSyntax name) =>
        name.Ancestors().OfType<BaseMethodDeclarationSyntax>().FirstOrDefault()?.DescendantNodes().OfType<VariableDeclaratorSyntax>().FirstOrDefault(local => local.Identifier.Text == name.Identifier.Text);

    private static string NameOf(SyntaxNode node, string name) =>
        string.Join('.', node.Ancestors().OfType<TypeDeclarationSyntax>().Reverse().Select(static type => type.Identifier.Text).Append(name));
}
