using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2003: a statement registers a handler and drops the registration, which is needed to remove the handler.</summary>
/// <remarks>A lambda that registers at its own parameter sets up a host. Such handlers stay as long as the host, so they are not reported.</remarks>
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
        if (handover.CallBehind(value) is not { } call || statement.IsWholeLambda() || IsSetUp(call, statement))
            return;

        var place = statement.Operation.Syntax.GetLocation();
        context.ReportDiagnostic(Diagnostic.Create(UsageRules.RegistrationDropped, place, call.TargetMethod.Name));
    }

    private static bool IsSetUp(IInvocationOperation call, IOperation statement) =>
        statement.NearestFunction() is IAnonymousFunctionOperation lambda &&
        HostOf(call) is IParameterReferenceOperation host &&
        SymbolEqualityComparer.Default.Equals(host.Parameter.ContainingSymbol, lambda.Symbol);

    /// <summary>Returns the host or dispatcher of a call, which is the first argument of an extension method and of a <c>PeerState</c>.</summary>
    private static IOperation? HostOf(IInvocationOperation call)
    {
        var host = call.Instance is null or { Type.Name: "PeerState" } ? call.Arguments.FirstOrDefault()?.Value : call.Instance;
        return host is IConversionOperation conversion ? conversion.Operand : host;
    }
}
