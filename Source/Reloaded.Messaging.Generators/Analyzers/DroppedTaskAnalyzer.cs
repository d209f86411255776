using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>
/// RM2007: a statement of a handler that is not asynchronous starts a task and drops it, as in <c>host.On((Move move, Peer peer) => peer.SendAsync(move))</c>.
/// RM2010: a statement of any other synchronous code sends or requests a message and drops the task.
/// </summary>
/// <remarks>The compiler reports such a statement in asynchronous code only (CS4014).</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DroppedTaskAnalyzer() : MessagingAnalyzer(Names.Message, UsageRules.HandlerDropsTask, UsageRules.TaskDropped)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) => start.RegisterOperationAction(Check, OperationKind.ExpressionStatement);

    private static void Check(OperationAnalysisContext context)
    {
        var statement = (IExpressionStatementOperation)context.Operation;
        var value = statement.Operation is IConditionalAccessOperation access ? access.WhenNotNull : statement.Operation;
        var function = statement.NearestFunction();
        if (value is not IInvocationOperation call || (statement.NestedFunction() ?? context.ContainingSymbol) is not IMethodSymbol { IsAsync: false })
            return;
        if (function is IAnonymousFunctionOperation lambda && lambda.IsHandler())
        {
            if (OperationQueries.IsTask(call.Type))
                context.ReportDiagnostic(Diagnostic.Create(UsageRules.HandlerDropsTask, statement.Operation.Syntax.GetLocation(), call.TargetMethod.Name));
        }
        else if (FindSend(call) is { } send)
        {
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.TaskDropped, statement.Operation.Syntax.GetLocation(), send.TargetMethod.Name));
        }
    }

    /// <summary>Returns the call that sends or requests a message, behind conversions of its task.</summary>
    private static IInvocationOperation? FindSend(IInvocationOperation call)
    {
        while (call is { Instance: IInvocationOperation inner, TargetMethod.Name: "AsTask" or "ConfigureAwait" or "Preserve" })
            call = inner;
        var method = call.TargetMethod;
        return OperationQueries.IsTask(call.Type) && (MessageCalls.Sending.Contains(method.Name) || method.Name is "SendFileAsync" or "ReceiveFileAsync" ? method.IsLibrary() : Names.Has(method.ContainingType, Names.Service)) ? call : null;
    }
}
