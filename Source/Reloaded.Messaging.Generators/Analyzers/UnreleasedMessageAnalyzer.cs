using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Analyzers.Flow;
using Reloaded.Messaging.Generators.Diagnostics;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2001: a packed message is dropped, or kept in a local that is never released and never passed on.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UnreleasedMessageAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(UsageRules.MessageNotReleased);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName(PackedMessageType.Name) is not { } message)
                return;

            var handover = new Handover(message);
            start.RegisterOperationBlockAction(blocks => Check(blocks, handover));
        });
    }

    private static void Check(OperationBlockAnalysisContext context, Handover handover)
    {
        foreach (var body in context.OperationBlocks.ByBody())
        {
            var kept = new List<KeptMessage>();
            foreach (var value in body.Key.DescendantsAndSelf())
            {
                if (handover.CallBehind(value) is not { } call)
                    continue;

                if (Destination.IsDropped(value))
                    Report(value.Syntax, call, "is dropped without being released");
                else if (Destination.Local(value) is { } local)
                    kept.Add(new KeptMessage(value, call, local));
            }

            if (kept.Count > 0)
                CheckKept(body, kept);
        }

        void CheckKept(IGrouping<IOperation, IOperation> body, List<KeptMessage> kept)
        {
            var uses = LocalUses.In(body.Key);
            kept.RemoveAll(message => uses.IsHandedOn(message.Local));
            foreach (var message in kept.Where(message => !uses.IsReleased(message.Local)))
                Report(message.Value.Syntax, message.Call, "is never released");

            kept.RemoveAll(message => !uses.IsReleased(message.Local));
            if (kept.Count == 0)
                return;

            var leaks = new LeakFlow(kept);
            foreach (var graph in context.GetControlFlowGraph(body.First()).WithNested(context.CancellationToken))
                leaks.Run(graph);
            foreach (var message in kept.Where(message => leaks.Found.Contains(message.Value.Syntax)))
                Report(message.Value.Syntax, message.Call, "is not released on every path out of the method");
        }

        void Report(SyntaxNode place, IInvocationOperation call, string what) =>
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.MessageNotReleased, place.GetLocation(), call.TargetMethod.Name, what));
    }
}
