using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2011: a message of a derived type is sent, or returned as a reply, by the contract of its base class, which is no union.</summary>
/// <remarks>A call with a contract is not reported, because the serializer of that contract may write derived types.</remarks>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CutMessageAnalyzer() : MessagingAnalyzer(Names.Contract, UsageRules.MessageCut)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        start.RegisterOperationAction(operation => CheckCall(operation, type), OperationKind.Invocation);
        start.RegisterOperationAction(operation => CheckReply(operation, type), OperationKind.Return);
    }

    private static void CheckCall(OperationAnalysisContext context, INamedTypeSymbol contract)
    {
        var call = (IInvocationOperation)context.Operation;
        var method = call.TargetMethod;
        if (!method.IsGenericMethod || !MessageCalls.Sending.Contains(method.Name) || !method.IsLibrary() || method.TakesContract(contract))
            return;
        foreach (var argument in call.Arguments)
        {
            if (argument.Parameter?.OriginalDefinition.Type is ITypeParameterSymbol { Name: "T" or "TRequest" })
                Check(context, argument.Value);
        }
    }

    private static void CheckReply(OperationAnalysisContext context, INamedTypeSymbol contract)
    {
        var reply = (IReturnOperation)context.Operation;
        if (reply.ReturnedValue is { } value && reply.NearestFunction() is IAnonymousFunctionOperation lambda &&
            lambda.FindHandlerCall() is { TargetMethod: { Name: "OnRequest" or "OnAuthenticate" } method } && !method.TakesContract(contract))
        {
            Check(context, value);
        }
    }

    private static void Check(OperationAnalysisContext context, IOperation value)
    {
        if (value.Type is not INamedTypeSymbol { TypeKind: TypeKind.Class, IsSealed: false } sent || !Names.Has(sent, Names.Message) || Names.Has(sent, Names.Union))
            return;
        foreach (var (place, created) in Sources(value))
        {
            if (created is INamedTypeSymbol type && DerivesFrom(type, sent) && IsCut(type, sent, context.Compilation))
            {
                var first = Names.Has(type, Names.Message) ? "Send" : $"Mark '{type.Name}' [Message] and send";
                context.ReportDiagnostic(Diagnostic.Create(UsageRules.MessageCut, place.Syntax.GetLocation(), type.Name, sent.Name, $"{first} it as its own type, or declare '{sent.Name}' as a union"));
            }
        }
    }

    private static bool DerivesFrom(INamedTypeSymbol type, INamedTypeSymbol sent)
    {
        for (var part = type.BaseType; part is not null; part = part.BaseType)
        {
            if (SymbolEqualityComparer.Default.Equals(part, sent))
                return true;
        }

        return false;
    }

    /// <summary>Returns whether the base class loses something. A derived class without a contract and without members, such as a builder, loses nothing.</summary>
    private static bool IsCut(INamedTypeSymbol type, INamedTypeSymbol sent, Compilation compilation) =>
        Names.Has(type, Names.Message) || MemberReader.Read(type, compilation).Count > MemberReader.Read(sent, compilation).Count;

    /// <summary>Returns the types of the instance that an expression may return, with their places. Conversions, conditions and locals with one value are followed.</summary>
    private static IEnumerable<(IOperation Place, ITypeSymbol? Type)> Sources(IOperation value) => value switch
    {
        IConversionOperation { OperatorMethod: null } conversion => Sources(conversion.Operand),
        IConditionalOperation { WhenFalse: { } otherwise } condition => Sources(condition.WhenTrue).Concat(Sources(otherwise)),
        ICoalesceOperation coalesced => Sources(coalesced.Value).Concat(Sources(coalesced.WhenNull)),
        ISwitchExpressionOperation choice => choice.Arms.SelectMany(static arm => Sources(arm.Value)),
        ILocalReferenceOperation local when FindOnlyValue(local) is { } only => Sources(only).Select(source => (value, source.Type)),
        _ => new[] { (value, value.Type) },
    };

    private static IOperation? FindOnlyValue(ILocalReferenceOperation local)
    {
        IOperation root = local;
        while (root.Parent is { } parent)
            root = parent;

        IOperation? value = null;
        foreach (var operation in root.Descendants())
        {
            if (operation is IVariableDeclaratorOperation declarator && SymbolEqualityComparer.Default.Equals(declarator.Symbol, local.Local))
                value = declarator.GetVariableInitializer()?.Value;
            else if (operation is ILocalReferenceOperation other && SymbolEqualityComparer.Default.Equals(other.Local, local.Local) && IsWritten(other))
                return null;
        }

        return value;
    }

    private static bool IsWritten(ILocalReferenceOperation local) => local.Parent switch
    {
        IAssignmentOperation assignment => assignment.Target == local,
        IArgumentOperation argument => argument.Parameter?.RefKind is RefKind.Ref or RefKind.Out,
        ITupleOperation or IAddressOfOperation => true,
        _ => false,
    };
}
