using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Analyzers.Flow;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2001: a packed message is dropped, or kept in a local that is never released and never passed on.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class UnreleasedMessageAnalyzer() : MessagingAnalyzer(Names.PackedMessage, UsageRules.MessageNotReleased)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type)
    {
        var handover = new Handover(type);
        start.RegisterOperationBlockAction(blocks => Check(blocks, handover));
    }

    private static void Check(OperationBlockAnalysisContext context, Handover handover)
    {
        foreach (var body in context.OperationBlocks.ByBody())
        {
            var kept = new List<KeptMessage>();
            foreach (var value in body.Key.DescendantsAndSelf())
            {
                if (handover.CallBehind(value) is not { } call)
                    continue;

                if (Destination.IsDropped(value))
                    Report(value.Syntax, call, "is dropped without being released");
                else if (Destination.Local(value) is { } local)
                    kept.Add(new KeptMessage(value, call, local));
            }

            if (kept.Count > 0)
                CheckKept(body, kept);
        }

        void CheckKept(IGrouping<IOperation, IOperation> body, List<KeptMessage> kept)
        {
            var uses = LocalUses.In(body.Key);
            kept.RemoveAll(message => uses.IsHandedOn(message.Local));
            foreach (var message in kept.Where(message => !uses.IsReleased(message.Local)))
                Report(message.Value.Syntax, message.Call, "is never released");

            kept.RemoveAll(message => !uses.IsReleased(message.Local));
            if (kept.Count == 0)
                return;

            var leaks = new LeakFlow(kept);
            leaks.Run(context.GetControlFlowGraph(body.First()), context.CancellationToken);
            foreach (var message in kept.Where(message => leaks.Found.Contains(message.Value.Syntax)))
                Report(message.Value.Syntax, message.Call, "is not released on every path out of the method");
        }

        void Report(SyntaxNode place, IInvocationOperation call, string what) =>
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.MessageNotReleased, place.GetLocation(), call.TargetMethod.Name, what));
    }
}

/// <summary>A packed message that is stored in a local without <c>using</c>.</summary>
/// <param name="Value">The expression: the call, or the <c>await</c> of the call.</param>
/// <param name="Call">The call that returned the message.</param>
/// <param name="Local">The local that stores the message.</param>
internal sealed record KeptMessage(IOperation Value, IInvocationOperation Call, ILocalSymbol Local);

/// <summary>Determines where the value of an expression is stored or passed.</summary>
internal static class Destination
{
    /// <summary>Returns whether the value is lost after its statement and was not passed to other code.</summary>
    public static bool IsDropped(IOperation value)
    {
        value = Outermost(value);
        return value.Parent switch
        {
            IExpressionStatementOperation statement => !statement.IsWholeLambda(),
            ISimpleAssignmentOperation { Target: IDiscardOperation, Parent: IExpressionStatementOperation statement } => !statement.IsWholeLambda(),
            IPropertyReferenceOperation property => property.Instance == value,
            IInvocationOperation call => call.Instance == value && !call.IsDispose(),
            _ => false,
        };
    }

    /// <summary>The local that stores the value, or <c>null</c> if the value is not stored in a local or <c>using</c> releases it.</summary>
    public static ILocalSymbol? Local(IOperation value)
    {
        value = Outermost(value);
        return value.Parent switch
        {
            IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declarator } => IsUsing(declarator) ? null : declarator.Symbol,
            ISimpleAssignmentOperation { Target: ILocalReferenceOperation target, Parent: IExpressionStatementOperation } => target.Local,
            _ => null,
        };
    }

    // Roslyn 4.3 has no ILocalSymbol.IsUsing.
    private static bool IsUsing(IVariableDeclaratorOperation declarator) => declarator.Parent?.Parent?.Parent is IUsingOperation or IUsingDeclarationOperation;

    /// <summary>Skips the parent expressions that return the value unchanged.</summary>
    private static IOperation Outermost(IOperation value)
    {
        while (true)
        {
            switch (value.Parent)
            {
                case IConditionalOperation { Type: not null } choice when choice.Condition != value:
                    value = choice;
                    break;
                case ISwitchExpressionArmOperation { Parent: ISwitchExpressionOperation choice } arm when arm.Value == value:
                    value = choice;
                    break;
                default:
                    return value;
            }
        }
    }
}

/// <summary>Records how a body uses the locals that hold packed messages.</summary>
internal sealed class LocalUses
{
    private readonly HashSet<ISymbol> _released = new(SymbolEqualityComparer.Default);
    private readonly HashSet<ISymbol> _handedOn = new(SymbolEqualityComparer.Default);

    public static LocalUses In(IOperation body)
    {
        var uses = new LocalUses();
        foreach (var reference in body.Descendants().OfType<ILocalReferenceOperation>())
        {
            if (reference.Parent is IInvocationOperation call && call.Instance == reference && call.IsDispose())
                uses._released.Add(reference.Local);
            if (!StaysHere(reference) || reference.IsCaptured())
                uses._handedOn.Add(reference.Local);
        }

        return uses;
    }

    public bool IsReleased(ILocalSymbol local) => _released.Contains(local);

    /// <summary>Returns whether other code may have received the message and the duty to release it.</summary>
    public bool IsHandedOn(ILocalSymbol local) => _handedOn.Contains(local);

    private static bool StaysHere(ILocalReferenceOperation reference) => reference.Parent switch
    {
        IPropertyReferenceOperation property => property.Instance == reference,
        IInvocationOperation call => call.Instance == reference,
        ISimpleAssignmentOperation { IsRef: false, Parent: IExpressionStatementOperation } assignment => assignment.Target == reference,
        IBinaryOperation or INameOfOperation => true,
        _ => false,
    };
}

/// <summary>Finds messages that are certainly still held when the method returns or when their local is overwritten.</summary>
/// <remarks>
/// Only certain leaks are reported, because a release and an exit often depend on the same condition. Exceptions are not followed: a
/// message lost to an exception costs the pool one buffer, and a demand for a finally around every message would be noise.
/// </remarks>
internal sealed class LeakFlow(IReadOnlyCollection<KeptMessage> messages) : MustFlow<SyntaxNode>(EqualityComparer<SyntaxNode>.Default)
{
    // Keyed by syntax, because the control-flow graph has different operations for the same expressions.
    private readonly Dictionary<SyntaxNode, ILocalSymbol> _locals = messages.ToDictionary(message => message.Value.Syntax, message => message.Local);

    /// <summary>The expressions whose message leaks.</summary>
    public HashSet<SyntaxNode> Found { get; } = [];

    protected override bool FollowsExceptions => false;

    protected override ImmutableHashSet<SyntaxNode> Step(IOperation operation, ImmutableHashSet<SyntaxNode> facts)
    {
        if (Ended(operation) is not { } local)
            return facts;

        facts = facts.Except(HeldIn(local, facts));
        return operation is ISimpleAssignmentOperation assignment && _locals.ContainsKey(assignment.Value.Syntax)
            ? facts.Add(assignment.Value.Syntax)
            : facts;
    }

    protected override void Check(IOperation operation, ImmutableHashSet<SyntaxNode> facts)
    {
        if (operation is ISimpleAssignmentOperation && Ended(operation) is { } local)
            Found.UnionWith(HeldIn(local, facts));
    }

    protected override void CheckLeaving(ImmutableHashSet<SyntaxNode> facts) => Found.UnionWith(facts);

    /// <summary>The local whose message an operation releases or replaces, or <c>null</c>.</summary>
    private static ILocalSymbol? Ended(IOperation operation) => operation switch
    {
        IInvocationOperation { Instance: ILocalReferenceOperation released } call when call.IsDispose() => released.Local,
        ISimpleAssignmentOperation { Target: ILocalReferenceOperation assigned } => assigned.Local,
        _ => null,
    };

    private IEnumerable<SyntaxNode> HeldIn(ILocalSymbol local, ImmutableHashSet<SyntaxNode> facts) =>
        facts.Where(call => SymbolEqualityComparer.Default.Equals(_locals[call], local));
}
