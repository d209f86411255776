using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2014: a type that is declared as a request is handled, or sent to a host, as an event.</summary>
/// <remarks>A call with contracts is not reported, because the program may use them for events.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class RequestAsEventAnalyzer() : MessagingAnalyzer(Names.Contract, UsageRules.RequestAsEvent)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) =>
        start.RegisterOperationAction(operation => Check(operation, type), OperationKind.Invocation);

    private static void Check(OperationAnalysisContext context, INamedTypeSymbol contract)
    {
        var call = (IInvocationOperation)context.Operation;
        var method = call.TargetMethod;
        if (method.Name is not ("On" or "Send" or "SendAsync" or "Broadcast") || !method.IsLibrary() || method.TakesContract(contract) ||
            method.TypeArgument("T", "TMessage", "TEvent") is not { TypeKind: not TypeKind.TypeParameter } message ||
            message.AllInterfaces.FirstOrDefault(static one => one.Name is "IRequest" or "IStreamRequest" && one.IsLibrary()) is not { } role)
        {
            return;
        }

        var right = (method.Name == "On", role.Name == "IStreamRequest") switch
        {
            (true, true) => "OnStream",
            (true, false) => "OnRequest",
            (false, true) => "StreamAsync",
            (false, false) => "RequestAsync",
        };
        context.ReportDiagnostic(Diagnostic.Create(UsageRules.RequestAsEvent, call.NameLocation(), Names.Full(message), method.Name, right));
    }
}
