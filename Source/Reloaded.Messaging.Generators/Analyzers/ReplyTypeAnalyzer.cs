using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2008: a handler or a request uses another reply than the type of the request declares by <c>IRequest</c>, <c>IRequest&lt;TReply&gt;</c> or <c>IStreamRequest&lt;TItem&gt;</c>.</summary>
/// <remarks>A call with contracts is not reported, because both sides may agree on another reply there.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ReplyTypeAnalyzer() : MessagingAnalyzer(Names.Contract, UsageRules.OtherReply)
{
    private const string NoReply = "no reply";

    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        start.RegisterOperationAction(operation => CheckCall(operation, type), OperationKind.Invocation);
        start.RegisterSymbolAction(CheckHandlerClass, SymbolKind.NamedType);
    }

    private static void CheckCall(OperationAnalysisContext context, INamedTypeSymbol contract)
    {
        var call = (IInvocationOperation)context.Operation;
        var method = call.TargetMethod;
        if (method.Name is not ("OnRequest" or "OnAuthenticate" or "RequestAsync" or "TryRequestAsync" or "OnStream" or "StreamAsync") || !method.IsLibrary() || method.TakesContract(contract) ||
            method.TypeArgument("TRequest", "TCredentials") is not { } request)
        {
            return;
        }

        var isStream = method.Name.Contains("Stream");
        var reply = method.TypeArgument(isStream ? "TItem" : "TReply");
        if (FindOther(request, reply, isStream ? "IStreamRequest" : "IRequest") is { } declared)
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.OtherReply, call.NameLocation(), Names.Full(request), declared, method.Name, Describe(reply)));
    }

    private static void CheckHandlerClass(SymbolAnalysisContext context)
    {
        var type = (INamedTypeSymbol)context.Symbol;
        foreach (var handler in type.AllInterfaces)
        {
            if (handler is { Name: "IRequestHandler", Arity: 3 } && handler.IsLibrary() &&
                type.BaseType?.AllInterfaces.Contains(handler, SymbolEqualityComparer.Default) != true &&
                FindOther(handler.TypeArguments[0], handler.TypeArguments[1]) is { } declared)
            {
                var (request, reply) = (handler.TypeArguments[0], handler.TypeArguments[1]);
                context.ReportDiagnostic(Diagnostic.Create(UsageRules.OtherReply, type.Locations.FirstOrDefault(), Names.Full(request), declared, type.Name, Describe(reply)));
            }
        }
    }

    /// <summary>Describes the declared reply of a request; <c>null</c> if it is the given reply, or if the type declares none or is not known.</summary>
    private static string? FindOther(ITypeSymbol request, ITypeSymbol? reply, string marker = "IRequest")
    {
        if (reply is { TypeKind: TypeKind.TypeParameter or TypeKind.Error })
            return null;
        string? declared = null;
        foreach (var one in request.AllInterfaces)
        {
            if (one.Name != marker || !one.IsLibrary())
                continue;
            var expected = one.TypeArguments.FirstOrDefault();
            if (expected is null ? IsEmpty(reply) : expected.TypeKind == TypeKind.TypeParameter || SymbolEqualityComparer.Default.Equals(expected, reply))
                return null;
            declared = Describe(expected);
        }

        return declared;
    }

    private static bool IsEmpty(ITypeSymbol? reply) => reply is null || (reply.Name == "Acknowledgement" && reply.IsLibrary());

    private static string Describe(ITypeSymbol? reply) => reply is null ? NoReply : $"'{Names.Full(reply)}'";
}
