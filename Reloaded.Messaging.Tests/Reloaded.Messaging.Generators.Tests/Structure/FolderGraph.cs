using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The references between the top folders of a project, derived from the symbols that its files use.</summary>
/// <remarks>Documentation comments and <c>using</c> directives do not count. Files in the project's own folder belong to <see cref="Root"/>.</remarks>
/// <param name="hasPublicRoot">
/// Whether the project's own folder holds the public API, which the folders implement and also receive as arguments. References to its public types then do
/// not count. References to its internal types still do: an internal type that a folder uses belongs in a folder.
/// </param>
internal sealed class FolderGraph(bool hasPublicRoot)
{
    /// <summary>The name of the project's own folder in a graph.</summary>
    public const string Root = "(root)";

    private readonly SortedDictionary<string, SortedDictionary<string, List<FolderReference>>> _edges = new(StringComparer.Ordinal);

    /// <summary>The folders, sorted.</summary>
    public IEnumerable<string> Folders => _edges.Keys;

    /// <summary>Derives the graph of a compilation whose syntax trees have paths relative to the project.</summary>
    /// <param name="compilation">The project.</param>
    /// <param name="hasPublicRoot">See <see cref="FolderGraph"/>.</param>
    public static FolderGraph Of(Compilation compilation, bool hasPublicRoot = false)
    {
        var graph = new FolderGraph(hasPublicRoot);
        foreach (var tree in compilation.SyntaxTrees.Where(static tree => tree.FilePath.Length > 0))
            graph._edges.TryAdd(FolderOf(tree.FilePath), new(StringComparer.Ordinal));
        foreach (var tree in compilation.SyntaxTrees.Where(static tree => tree.FilePath.Length > 0))
            graph.AddReferencesOf(tree, compilation.GetSemanticModel(tree));
        return graph;
    }

    /// <summary>The folders that a folder refers to, sorted, each with the files and the names.</summary>
    public IReadOnlyDictionary<string, List<FolderReference>> ReferencesOf(string folder) => _edges[folder];

    /// <summary>Finds the shortest circle of folders. Returns the folders in order, or an empty list if each reference goes one way.</summary>
    public List<string> FindCircle() =>
        Folders.Select(FindCircleThrough).Where(static circle => circle.Count > 0).MinBy(static circle => circle.Count) ?? [];

    /// <summary>Describes a circle: a line for each of its folders, with each pair of files and the names below it.</summary>
    public string Describe(List<string> circle)
    {
        var text = new StringBuilder();
        for (var i = 0; i < circle.Count; i++)
        {
            var (from, to) = (circle[i], circle[(i + 1) % circle.Count]);
            text.Append(from).Append(" -> ").Append(to).Append('\n');
            foreach (var reference in _edges[from][to])
                text.Append("    ").Append(reference).Append('\n');
        }

        return text.ToString();
    }

    /// <summary>The graph as text: a line for each folder, with the folders that it refers to.</summary>
    public override string ToString() => string.Concat(_edges.Select(static edge => $"{edge.Key} -> {string.Join(", ", edge.Value.Keys)}\n"));

    private static string FolderOf(string file) => file.IndexOf('/', StringComparison.Ordinal) is > 0 and var end ? file[..end] : Root;

    private void AddReferencesOf(SyntaxTree tree, SemanticModel model)
    {
        var folder = FolderOf(tree.FilePath);
        foreach (var node in tree.GetRoot().DescendantNodes())
        {
            if (node is not (ExpressionSyntax or ConstructorInitializerSyntax or AttributeSyntax))
                continue;
            if (model.GetSymbolInfo(node).Symbol is { } symbol)
                Add(folder, tree.FilePath, symbol is IMethodSymbol { ReducedFrom: { } extension } ? extension : symbol.OriginalDefinition);
        }
    }

    private void Add(string folder, string file, ISymbol symbol)
    {
        if (symbol is INamespaceSymbol || symbol.Kind is SymbolKind.Local or SymbolKind.Parameter or SymbolKind.RangeVariable or SymbolKind.Label)
            return;

        var declared = DeclaringFiles(symbol).ToList();
        if (declared.Count == 0 || declared.Exists(other => FolderOf(other) == folder))
            return;
        if (hasPublicRoot && FolderOf(declared[0]) == Root && OutermostTypeOf(symbol).DeclaredAccessibility == Accessibility.Public)
            return;

        var target = _edges[folder];
        if (!target.TryGetValue(FolderOf(declared[0]), out var references))
            target.Add(FolderOf(declared[0]), references = []);
        var reference = references.Find(known => known.FromFile == file && known.ToFile == declared[0]);
        if (reference is null)
            references.Add(reference = new FolderReference(file, declared[0], new(StringComparer.Ordinal)));
        reference.Names.Add(symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } ? symbol.ContainingType.Name : symbol.Name);
    }

    private static ISymbol OutermostTypeOf(ISymbol symbol)
    {
        while (symbol.ContainingType is { } type)
            symbol = type;
        return symbol;
    }

    /// <summary>The files that declare a symbol, or its type where the compiler made the symbol. Files that a generator added have no path.</summary>
    private static IEnumerable<string> DeclaringFiles(ISymbol symbol)
    {
        var declarations = symbol.DeclaringSyntaxReferences;
        if (declarations.IsEmpty && symbol.ContainingType is { } type)
            declarations = type.OriginalDefinition.DeclaringSyntaxReferences;
        return declarations.Select(static declaration => declaration.SyntaxTree.FilePath).Where(static path => path.Length > 0);
    }

    /// <summary>Searches breadth first from a folder back to itself.</summary>
    private List<string> FindCircleThrough(string start)
    {
        var reachedFrom = new Dictionary<string, string>(StringComparer.Ordinal);
        var open = new Queue<string>([start]);
        while (open.TryDequeue(out var folder))
        {
            if (_edges[folder].ContainsKey(start))
            {
                var circle = new List<string> { folder };
                while (folder != start)
                    circle.Insert(0, folder = reachedFrom[folder]);
                return circle;
            }

            foreach (var next in _edges[folder].Keys)
            {
                if (reachedFrom.TryAdd(next, folder))
                    open.Enqueue(next);
            }
        }

        return [];
    }
}
