using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2004: a message is sent and the returned status is ignored.</summary>
/// <remarks>
/// Only a call that returns the status itself is reported. A call that returns a task of the status waits for room, so an awaited call
/// does not lose a message because the queue is full.
/// </remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class IgnoredSendStatusAnalyzer() : MessagingAnalyzer(Names.SendStatus, UsageRules.SendStatusIgnored)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) =>
        start.RegisterOperationAction(operation => Check(operation, type), OperationKind.ExpressionStatement);

    private static void Check(OperationAnalysisContext context, INamedTypeSymbol status)
    {
        var statement = (IExpressionStatementOperation)context.Operation;
        var value = statement.Operation is IConditionalAccessOperation access ? access.WhenNotNull : statement.Operation;
        if (value is not IInvocationOperation call || !SymbolEqualityComparer.Default.Equals(call.TargetMethod.OriginalDefinition.ReturnType, status))
            return;

        var place = statement.Operation.Syntax.GetLocation();
        context.ReportDiagnostic(Diagnostic.Create(UsageRules.SendStatusIgnored, place, call.TargetMethod.Name));
    }
}
