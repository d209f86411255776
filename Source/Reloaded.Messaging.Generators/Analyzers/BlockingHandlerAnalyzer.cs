using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2006: a lambda that is a handler waits for a task by <c>Result</c>, <c>Wait()</c> or <c>GetAwaiter().GetResult()</c>, or calls <c>Thread.Sleep</c>.</summary>
/// <remarks>A wait on a variable is reported for <c>Wait()</c> alone, since a task may be complete when its result is read. A wait in a lambda inside the handler may run on another thread.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingHandlerAnalyzer() : MessagingAnalyzer(Names.Message, UsageRules.HandlerBlocks)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        start.RegisterOperationAction(CheckProperty, OperationKind.PropertyReference);
        start.RegisterOperationAction(CheckCall, OperationKind.Invocation);
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

    private static void Report(OperationAnalysisContext context, string awaited)
    {
        if (context.Operation.NearestFunction() is IAnonymousFunctionOperation lambda && lambda.IsHandler())
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.HandlerBlocks, context.Operation.Syntax.GetLocation(), awaited));
    }

    /// <summary>Returns the call that starts a task, behind conversions of the task.</summary>
    private static IInvocationOperation? FindStart(IOperation? awaited)
    {
        while (awaited is IInvocationOperation { Instance: { } inner, TargetMethod.Name: "AsTask" or "GetAwaiter" or "ConfigureAwait" })
            awaited = inner;
        return awaited is IInvocationOperation call && OperationQueries.IsTask(call.Type) ? call : null;
    }
}
