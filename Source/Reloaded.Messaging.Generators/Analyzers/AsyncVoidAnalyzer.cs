using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2009: an <c>async void</c> method or lambda is passed to the library as a handler or another callback, as in <c>host.On&lt;Move&gt;(OnMove)</c>.</summary>
/// <remarks>Subscriptions of events are not reported: an event has no form that returns a task.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AsyncVoidAnalyzer() : MessagingAnalyzer(Names.Message, UsageRules.AsyncVoid)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) => start.RegisterOperationAction(Check, OperationKind.DelegateCreation);

    private static void Check(OperationAnalysisContext context)
    {
        var creation = (IDelegateCreationOperation)context.Operation;
        var function = creation.Target switch
        {
            IAnonymousFunctionOperation lambda => lambda.Symbol,
            IMethodReferenceOperation reference => reference.Method,
            _ => null,
        };
        if (function is { IsAsync: true, ReturnsVoid: true } && (creation.Parent as IArgumentOperation)?.Parent is IInvocationOperation call && call.TargetMethod.IsLibrary())
        {
            var advice = call.TargetMethod.IsHandlerRegistration() ? "" : ", or call asynchronous code after this callback";
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.AsyncVoid, creation.Syntax.GetLocation(), call.TargetMethod.Name, advice));
        }
    }
}
