using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2006: a lambda that is a handler waits for a request by <c>Result</c>, <c>Wait()</c> or <c>GetAwaiter().GetResult()</c>.</summary>
/// <remarks>Only a wait on the call itself is reported, not on a variable. A wait in a lambda inside the handler may run on another thread.</remarks>
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
        if (property.Property.Name == "Result")
            Check(context, property.Instance);
    }

    private static void CheckCall(OperationAnalysisContext context)
    {
        var call = (IInvocationOperation)context.Operation;
        if (call.TargetMethod.Name is "Wait" or "GetResult")
            Check(context, call.Instance);
    }

    private static void Check(OperationAnalysisContext context, IOperation? awaited)
    {
        if (FindRequest(awaited) is { } request && context.Operation.NearestFunction() is IAnonymousFunctionOperation lambda && lambda.IsHandler())
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.HandlerBlocks, context.Operation.Syntax.GetLocation(), request.TargetMethod.Name));
    }

    private static IInvocationOperation? FindRequest(IOperation? awaited)
    {
        while (awaited is IInvocationOperation { Instance: { } inner, TargetMethod.Name: "AsTask" or "GetAwaiter" or "ConfigureAwait" })
            awaited = inner;
        return awaited is IInvocationOperation { TargetMethod.Name: "RequestAsync" or "TryRequestAsync" } call && call.TargetMethod.IsLibrary() ? call : null;
    }
}
