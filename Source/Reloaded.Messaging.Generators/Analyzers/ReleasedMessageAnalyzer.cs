using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers.Flow;
using Reloaded.Messaging.Generators.Diagnostics;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2002: a packed message, or a span of its bytes, is used after a release that certainly happened.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ReleasedMessageAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(UsageRules.MessageUsedAfterRelease);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName(PackedMessageType.Name) is { } message)
                start.RegisterOperationBlockAction(blocks => Check(blocks, message));
        });
    }

    private static void Check(OperationBlockAnalysisContext context, INamedTypeSymbol message)
    {
        foreach (var body in context.OperationBlocks.ByBody())
        {
            var variables = MessageVariables.In(body.Key, message, context.OwningSymbol);
            if (!variables.AnyReleased)
                continue;

            var flow = new ReleaseFlow(variables, Report);
            foreach (var graph in context.GetControlFlowGraph(body.First()).WithNested(context.CancellationToken))
                flow.Run(graph);
        }

        void Report(SyntaxNode place, string name, string what) =>
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.MessageUsedAfterRelease, place.GetLocation(), name, what));
    }
}
