using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Analyzers.Flow;

namespace Reloaded.Messaging.Generators.Analyzers;

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
