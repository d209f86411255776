using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;

namespace Reloaded.Messaging.Generators.CodeFixes;

/// <summary>The base class of the fixes. A fix is offered only where it can be applied.</summary>
/// <remarks>The fixes have no <c>[Shared]</c>. It would refer to System.Composition, of which each editor has another version.</remarks>
public abstract class MessagingFix : CodeFixProvider
{
    private readonly string _title;

    /// <param name="id">The id of the diagnostic.</param>
    /// <param name="title">The text in the menu of the editor.</param>
    private protected MessagingFix(string id, string title) => (FixableDiagnosticIds, _title) = (ImmutableArray.Create(id), title);

    /// <inheritdoc/>
    public sealed override ImmutableArray<string> FixableDiagnosticIds { get; }

    /// <inheritdoc/>
    public sealed override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public sealed override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is not { } root ||
            await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false) is not { } model)
        {
            return;
        }

        var place = new FixPlace(context.Document, root, model, root.FindNode(context.Span, getInnermostNodeForTie: true));
        if (Find(place, context.CancellationToken) is { } change)
            context.RegisterCodeFix(CodeAction.Create(_title, change, equivalenceKey: _title), context.Diagnostics);
    }

    /// <summary>Returns a function that creates the changed solution, or <c>null</c> if the place has no certain fix.</summary>
    private protected abstract Func<CancellationToken, Task<Solution>>? Find(FixPlace place, CancellationToken cancellationToken);
}

/// <summary>The place of a diagnostic.</summary>
/// <param name="document">The document.</param>
/// <param name="root">The root of its syntax.</param>
/// <param name="model">Its semantic model.</param>
/// <param name="node">The reported node.</param>
internal sealed class FixPlace(Document document, SyntaxNode root, SemanticModel model, SyntaxNode node)
{
    public Document Document => document;

    public SemanticModel Model => model;

    public SyntaxNode Node => node;

    /// <summary>Returns the solution in which a node of the document is replaced.</summary>
    public Task<Solution> Replace(SyntaxNode old, SyntaxNode replacement) =>
        Task.FromResult(document.WithSyntaxRoot(root.ReplaceNode(old, replacement)).Project.Solution);
}
