using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2003: a statement registers a handler and drops the registration, which is needed to remove the handler.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DroppedRegistrationAnalyzer() : MessagingAnalyzer(Names.HandlerRegistration, UsageRules.RegistrationDropped)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        var handover = new Handover(type);
        start.RegisterOperationAction(operation => Check(operation, handover), OperationKind.ExpressionStatement);
    }

    private static void Check(OperationAnalysisContext context, Handover handover)
    {
        var statement = (IExpressionStatementOperation)context.Operation;
        var value = statement.Operation is IConditionalAccessOperation access ? access.WhenNotNull : statement.Operation;
        if (handover.CallBehind(value) is not { } call || statement.IsWholeLambda())
            return;

        var place = statement.Operation.Syntax.GetLocation();
        context.ReportDiagnostic(Diagnostic.Create(UsageRules.RegistrationDropped, place, call.TargetMethod.Name));
    }
}
