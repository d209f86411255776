using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2007: a statement of a handler that is not asynchronous starts a task and drops it, as in <c>host.On((Move move, Peer peer) => peer.SendAsync(move))</c>.</summary>
/// <remarks>The compiler reports such a statement in an asynchronous lambda only (CS4014).</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DroppedTaskAnalyzer() : MessagingAnalyzer(Names.Message, UsageRules.HandlerDropsTask)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) => start.RegisterOperationAction(Check, OperationKind.ExpressionStatement);

    private static void Check(OperationAnalysisContext context)
    {
        var statement = (IExpressionStatementOperation)context.Operation;
        if (statement.Operation is IInvocationOperation call && IsTask(call.Type) &&
            statement.NearestFunction() is IAnonymousFunctionOperation { Symbol.IsAsync: false } lambda && lambda.IsHandler())
        {
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.HandlerDropsTask, call.Syntax.GetLocation(), call.TargetMethod.Name));
        }
    }

    private static bool IsTask(ITypeSymbol? type) =>
        type is { Name: "Task" or "ValueTask", ContainingNamespace: { Name: "Tasks", ContainingNamespace: { Name: "Threading", ContainingNamespace: { Name: "System", ContainingNamespace.IsGlobalNamespace: true } } } };
}
