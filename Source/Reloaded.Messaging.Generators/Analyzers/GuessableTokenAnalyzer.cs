using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2012: a token or a secret is made of a text of the program.</summary>
/// <remarks>A text that is read at run time is not reported, because it may be the text of random bytes.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class GuessableTokenAnalyzer() : MessagingAnalyzer(Names.HostOptions, UsageRules.TokenGuessable)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        start.RegisterOperationAction(operation => CheckToken(operation, type), OperationKind.SimpleAssignment);
        if (start.Compilation.GetTypeByMetadataName(Names.Protection) is { } protection)
            start.RegisterOperationAction(operation => CheckSecret(operation, protection), OperationKind.Invocation);
    }

    private static void CheckToken(OperationAnalysisContext context, INamedTypeSymbol options)
    {
        if (context.Operation is ISimpleAssignmentOperation { Target: IPropertyReferenceOperation { Property: { Name: "Token" } property }, Value: var value } &&
            SymbolEqualityComparer.Default.Equals(property.ContainingType, options))
        {
            Report(context, value, "token");
        }
    }

    private static void CheckSecret(OperationAnalysisContext context, INamedTypeSymbol protection)
    {
        var call = (IInvocationOperation)context.Operation;
        if (call.TargetMethod.Name == "WithSecret" && SymbolEqualityComparer.Default.Equals(call.TargetMethod.ContainingType, protection))
            Report(context, call.Arguments[0].Value, "secret");
    }

    private static void Report(OperationAnalysisContext context, IOperation value, string what)
    {
        if (value.DescendantsAndSelf().FirstOrDefault(IsText) is { } text)
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.TokenGuessable, text.Syntax.GetLocation(), what));
    }

    // The literal of UTF-8 has no kind of operation in the oldest compiler.
    private static bool IsText(IOperation operation) =>
        (operation.Syntax is LiteralExpressionSyntax { Token.Text: var text } && text.StartsWith("\"", StringComparison.Ordinal) && text.EndsWith("u8", StringComparison.OrdinalIgnoreCase)) ||
        (operation is IInvocationOperation { TargetMethod: { Name: "GetBytes", ContainingType: { Name: "Encoding", ContainingNamespace.Name: "Text" } } } call &&
            call.Arguments.Any(static argument => argument.Value.ConstantValue is { HasValue: true, Value: string }));
}
