using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2005: a call uses the declared contract of a type that has none: <c>object</c>, an interface, or a type of this assembly without <c>[Message]</c>.</summary>
/// <remarks>A program may create contracts itself. A type is not reported if this assembly names its contract anywhere, and no type is reported if a method may create the contract of any type.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MissingContractAnalyzer() : MessagingAnalyzer(Names.Contract, UsageRules.NoContract)
{
    private protected override GeneratedCodeAnalysisFlags GeneratedCode => GeneratedCodeAnalysisFlags.Analyze;

    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        var uses = new ConcurrentQueue<(IInvocationOperation Call, ITypeSymbol Type)>();
        var contracts = new ConcurrentDictionary<ITypeSymbol, bool>(SymbolEqualityComparer.Default);
        start.RegisterOperationAction(
            operation =>
            {
                var call = (IInvocationOperation)operation.Operation;
                NoteUses(call, type, uses);
                if (call.TargetMethod.Name != "GetDeclared")
                    NoteContract(call.Type, operation.ContainingSymbol, type, contracts);
            },
            OperationKind.Invocation);
        start.RegisterOperationAction(operation => NoteContract(operation.Operation.Type, operation.ContainingSymbol, type, contracts), OperationKind.ObjectCreation, OperationKind.FieldReference, OperationKind.PropertyReference);
        start.RegisterCompilationEndAction(end => Report(end, uses, contracts));
    }

    private static void NoteUses(IInvocationOperation call, INamedTypeSymbol contract, ConcurrentQueue<(IInvocationOperation Call, ITypeSymbol Type)> uses)
    {
        var method = call.TargetMethod;
        if (!method.IsGenericMethod || !MessageCalls.All.Contains(method.Name) || !method.IsLibrary() || method.TakesContract(contract))
            return;
        for (var i = 0; i < method.TypeArguments.Length; i++)
        {
            if (MessageCalls.Messages.Contains(method.TypeParameters[i].Name))
                uses.Enqueue((call, method.TypeArguments[i]));
        }
    }

    private static void NoteContract(ITypeSymbol? type, ISymbol user, INamedTypeSymbol contract, ConcurrentDictionary<ITypeSymbol, bool> contracts)
    {
        // Generated code creates the contract of a closed type inside of a message, and declares it only if the program does.
        if (type is INamedTypeSymbol { TypeArguments.Length: 1 } named && SymbolEqualityComparer.Default.Equals(named.OriginalDefinition, contract) &&
            (!IsUndeclared(named.TypeArguments[0]) || user.ContainingNamespace?.ToDisplayString() != Names.Generated))
        {
            contracts[named.TypeArguments[0]] = true;
        }
    }

    private static void Report(CompilationAnalysisContext context, IEnumerable<(IInvocationOperation Call, ITypeSymbol Type)> uses, ConcurrentDictionary<ITypeSymbol, bool> contracts)
    {
        foreach (var known in contracts.Keys)
        {
            if (known is ITypeParameterSymbol)
                return;
        }

        foreach (var (call, type) in uses)
        {
            if (!contracts.ContainsKey(type) && FindAdvice(type, context.Compilation.Assembly) is { } advice)
                context.ReportDiagnostic(Diagnostic.Create(UsageRules.NoContract, call.Syntax.GetLocation(), call.TargetMethod.Name, Names.Full(type), advice));
        }
    }

    private static bool IsUndeclared(ITypeSymbol type) => GenericMessages.Is(type) && GenericDeclarations.Find((INamedTypeSymbol)type) is null;

    /// <summary>Returns what to do about a type without a contract; <c>null</c> if the type may have one.</summary>
    private static string? FindAdvice(ITypeSymbol type, IAssemblySymbol assembly)
    {
        if (type.SpecialType == SpecialType.System_Object || type.TypeKind is TypeKind.Dynamic or TypeKind.Interface)
            return "pass the message as its own type";
        if (IsUndeclared(type))
            return $"declare it by [assembly: GenericMessage(typeof({type.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat)}))]";
        return type is INamedTypeSymbol && SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, assembly) && !Names.Has(type, Names.Message)
            ? "mark the type [Message], or pass a contract"
            : null;
    }
}
