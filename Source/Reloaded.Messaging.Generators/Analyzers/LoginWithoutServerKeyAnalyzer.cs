using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2013: a server over UDP checks logins, and its protection has no server key.</summary>
/// <remarks>The endpoint, the login and the protection are looked for in one method. Each is a call that the compiler resolves.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class LoginWithoutServerKeyAnalyzer() : MessagingAnalyzer(Names.Protection, UsageRules.LoginWithoutServerKey)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) => start.RegisterOperationBlockAction(block =>
    {
        var calls = block.OperationBlocks.SelectMany(static operation => operation.DescendantsAndSelf()).OfType<IInvocationOperation>().ToList();
        if (!calls.Exists(static call => call.TargetMethod is { Name: "Udp", ContainingType.Name: "MessageEndpoint" } && call.TargetMethod.IsLibrary()) ||
            !calls.Exists(static call => call.TargetMethod.Name == "OnAuthenticate" && call.TargetMethod.IsLibrary()))
        {
            return;
        }

        foreach (var call in calls)
        {
            if (call.TargetMethod.Name is "WithToken" or "WithSecret" && SymbolEqualityComparer.Default.Equals(call.TargetMethod.ContainingType, type))
                block.ReportDiagnostic(Diagnostic.Create(UsageRules.LoginWithoutServerKey, call.Syntax.GetLocation(), call.TargetMethod.Name));
        }
    });
}
