using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>Transports move bytes, and know nothing of messages.</summary>
public sealed class TransportReferenceTests
{
    private static readonly string[] s_allowed = ["Buffers", "Wire"];

    private static readonly Lazy<HashSet<(string File, string Type)>> s_used =
        new(static () => TypesOf("Reloaded.Messaging", new SourceProject("Reloaded.Messaging.Transports", "Reloaded.Messaging").Compile()));

    [Fact]
    public void Transports_refer_to_bytes_of_core_only()
    {
        var core = new SourceProject("Reloaded.Messaging").Compile();

        Assert.NotEmpty(s_used.Value); // frames are wire-level
        Assert.Empty(s_used.Value.Where(type => !s_allowed.Contains(FolderOf(core, type.Type))).Select(static type => $"{type.File} refers to {type.Type}"));
    }

    [Theory]
    [InlineData("Reloaded.Messaging.Wire.MessageHeader")]
    [InlineData("Reloaded.Messaging.Wire.MessageKind")]
    public void Transports_do_not_read_headers(string name) => Assert.DoesNotContain(s_used.Value, type => type.Type == name);

    private static HashSet<(string File, string Type)> TypesOf(string assembly, Compilation compilation)
    {
        var used = new HashSet<(string, string)>();
        foreach (var tree in compilation.SyntaxTrees.Where(static tree => tree.FilePath.Length > 0))
        {
            var model = compilation.GetSemanticModel(tree);
            foreach (var node in tree.GetRoot().DescendantNodes().OfType<ExpressionSyntax>())
            {
                var symbol = model.GetSymbolInfo(node).Symbol;
                if ((symbol as INamedTypeSymbol ?? symbol?.ContainingType) is { } type && type.ContainingAssembly?.Name == assembly)
                    used.Add((tree.FilePath, NameOf(type.OriginalDefinition)));
            }
        }

        return used;
    }

    private static string NameOf(INamedTypeSymbol type) => $"{type.ContainingNamespace.ToDisplayString()}.{type.MetadataName}";

    private static string FolderOf(Compilation core, string type)
    {
        var file = core.GetTypeByMetadataName(type)?.DeclaringSyntaxReferences[0].SyntaxTree.FilePath ?? "";
        return file.IndexOf('/', StringComparison.Ordinal) is > 0 and var end ? file[..end] : file;
    }
}
