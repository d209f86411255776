using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2006: a lambda that is a handler waits for a task by <c>Result</c>, <c>Wait()</c> or <c>GetAwaiter().GetResult()</c>, or calls <c>Thread.Sleep</c>; or it awaits the stop of its host.</summary>
/// <remarks>A wait on a variable is reported for <c>Wait()</c> alone, since a task may be complete when its result is read. A wait in a lambda inside the handler may run on another thread.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingHandlerAnalyzer() : MessagingAnalyzer(Names.Message, UsageRules.HandlerBlocks)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        start.RegisterOperationAction(CheckProperty, OperationKind.PropertyReference);
        start.RegisterOperationAction(CheckCall, OperationKind.Invocation);
        start.RegisterOperationAction(CheckAwait, OperationKind.Await);
    }

    private static void CheckProperty(OperationAnalysisContext context)
    {
        var property = (IPropertyReferenceOperation)context.Operation;
        if (property.Property.Name == "Result" && FindStart(property.Instance) is { } call)
            Report(context, call.TargetMethod.Name);
    }

    private static void CheckCall(OperationAnalysisContext context)
    {
        var call = (IInvocationOperation)context.Operation;
        var method = call.TargetMethod;
        if (method.Name == "Sleep" && method.ContainingType is { Name: "Thread", ContainingNamespace: { Name: "Threading", ContainingNamespace.Name: "System" } })
            Report(context, method.Name);
        else if (method.Name is "Wait" or "GetResult" && FindStart(call.Instance) is { } start)
            Report(context, start.TargetMethod.Name);
        else if (method.Name is "Wait" or "WaitAll" or "WaitAny" && OperationQueries.IsTask(method.ContainingType))
            Report(context, method.Name);
    }

    private static void CheckAwait(OperationAnalysisContext context)
    {
        if (FindStart(((IAwaitOperation)context.Operation).Operation) is { TargetMethod.Name: "StopAsync", Instance: { } host } stop && stop.TargetMethod.IsLibrary() && host.Variable() is { } stopped &&
            context.Operation.NearestFunction() is IAnonymousFunctionOperation lambda && SymbolEqualityComparer.Default.Equals(lambda.FindHandlerCall()?.Instance.Variable(), stopped))
        {
            ReportText(context, "awaits 'StopAsync', which waits for this handler until StopTimeout has passed. Start 'StopAsync' without awaiting it.");
        }
    }

    private static void Report(OperationAnalysisContext context, string awaited)
    {
        if (context.Operation.NearestFunction() is IAnonymousFunctionOperation lambda && lambda.IsHandler())
            ReportText(context, $"blocks the thread that receives the messages of its peer until '{awaited}' ends, so a reply of that peer may never be received. Make the handler asynchronous and await.");
    }

    private static void ReportText(OperationAnalysisContext context, string text) =>
        context.ReportDiagnostic(Diagnostic.Create(UsageRules.HandlerBlocks, context.Operation.Syntax.GetLocation(), text));

    /// <summary>Returns the call that starts a task, behind conversions of the task.</summary>
    private static IInvocationOperation? FindStart(IOperation? awaited)
    {
        while (awaited is IInvocationOperation { Instance: { } inner, TargetMethod.Name: "AsTask" or "GetAwaiter" or "ConfigureAwait" })
            awaited = inner;
        return awaited is IInvocationOperation call && OperationQueries.IsTask(call.Type) ? call : null;
    }
}
