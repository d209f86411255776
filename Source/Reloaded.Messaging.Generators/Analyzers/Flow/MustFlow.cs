using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;

namespace Reloaded.Messaging.Generators.Analyzers.Flow;

/// <summary>Follows every path through one function and determines, for each place, the facts that hold on every path to it.</summary>
/// <remarks>
/// A join of paths only removes facts, so the iteration to a fixed point ends. A finally block is analyzed once for each branch that
/// leaves through it, because the facts after the block depend on the branch.
/// </remarks>
internal abstract class MustFlow<TFact>(IEqualityComparer<TFact> comparer)
{
    private ControlFlowGraph _graph = null!;

    /// <summary>Whether every operation in a try block may continue in a handler. If <c>false</c>, exceptions are not followed.</summary>
    protected abstract bool FollowsExceptions { get; }

    /// <summary>Analyzes a function, and all lambdas and local functions in it separately, because each function runs at a different time.</summary>
    public void Run(ControlFlowGraph graph, CancellationToken cancellationToken)
    {
        Run(graph);
        foreach (var function in graph.LocalFunctions)
            Run(graph.GetLocalFunctionControlFlowGraph(function, cancellationToken), cancellationToken);
        foreach (var lambda in graph.Blocks.SelectMany(OperationsOf).OfType<IFlowAnonymousFunctionOperation>())
            Run(graph.GetAnonymousFunctionControlFlowGraph(lambda, cancellationToken), cancellationToken);
    }

    /// <summary>Returns the facts that hold after an operation. The operands of an operation precede it.</summary>
    protected abstract ImmutableHashSet<TFact> Step(IOperation operation, ImmutableHashSet<TFact> facts);

    /// <summary>Checks an operation, given the facts that certainly hold before it.</summary>
    protected abstract void Check(IOperation operation, ImmutableHashSet<TFact> facts);

    /// <summary>Checks one exit of the function, given the facts that certainly hold there.</summary>
    protected virtual void CheckLeaving(ImmutableHashSet<TFact> facts)
    {
    }

    /// <summary>Analyzes one function. Calls <see cref="Check"/> once for each operation and <see cref="CheckLeaving"/> once for each exit.</summary>
    private void Run(ControlFlowGraph graph)
    {
        _graph = graph;
        var entries = Solve(0, graph.Blocks.Length - 1, ImmutableHashSet.Create(comparer));
        foreach (var block in graph.Blocks)
        {
            if (entries[block.Ordinal] is not { } facts)
                continue;

            foreach (var operation in OperationsOf(block))
            {
                Check(operation, facts);
                facts = Step(operation, facts);
            }

            foreach (var branch in BranchesOf(block))
            {
                if (branch.Destination is { Kind: BasicBlockKind.Exit } && ThroughFinally(branch, facts) is { } left)
                    CheckLeaving(left);
            }
        }
    }

    private static IEnumerable<IOperation> OperationsOf(BasicBlock block) =>
        block.BranchValue is { } value ? block.Operations.Add(value).SelectMany(InOrder) : block.Operations.SelectMany(InOrder);

    private static IEnumerable<IOperation> InOrder(IOperation operation) => operation.ChildOperations.SelectMany(InOrder).Append(operation);

    private static IEnumerable<ControlFlowBranch> BranchesOf(BasicBlock block) =>
        new[] { block.ConditionalSuccessor, block.FallThroughSuccessor }.OfType<ControlFlowBranch>();

    private static IEnumerable<ControlFlowRegion> HandlersAround(BasicBlock block)
    {
        for (var region = block.EnclosingRegion; region?.EnclosingRegion is not null; region = region.EnclosingRegion)
        {
            if (region.Kind != ControlFlowRegionKind.Try)
                continue;

            foreach (var handler in region.EnclosingRegion.NestedRegions)
            {
                if (handler != region)
                    yield return handler;
            }
        }
    }

    /// <summary>Returns the facts on entry to each block of a range. The entry of an unreachable block is <c>null</c>.</summary>
    private ImmutableHashSet<TFact>?[] Solve(int first, int last, ImmutableHashSet<TFact> initial)
    {
        var entries = new ImmutableHashSet<TFact>?[_graph.Blocks.Length];
        var changed = new Queue<int>();
        Enter(first, initial);
        while (changed.Count > 0)
        {
            var block = _graph.Blocks[changed.Dequeue()];
            var facts = entries[block.Ordinal]!;
            var always = facts;
            foreach (var operation in OperationsOf(block))
            {
                facts = Step(operation, facts);
                always = always.Intersect(facts);
            }

            foreach (var branch in BranchesOf(block))
            {
                if (branch.Destination is { } next && ThroughFinally(branch, facts) is { } left)
                    Enter(next.Ordinal, left);
            }

            if (!FollowsExceptions)
                continue;
            foreach (var handler in HandlersAround(block))
                Enter(handler.FirstBlockOrdinal, always);
        }

        return entries;

        void Enter(int ordinal, ImmutableHashSet<TFact> facts)
        {
            if (ordinal < first || ordinal > last || !_graph.Blocks[ordinal].IsReachable)
                return;

            var known = entries[ordinal];
            var joined = known?.Intersect(facts) ?? facts;
            if (known is not null && known.Count == joined.Count)
                return;

            entries[ordinal] = joined;
            changed.Enqueue(ordinal);
        }
    }

    /// <summary>Returns the facts after a branch has passed its finally blocks, or <c>null</c> if one of the blocks never ends.</summary>
    private ImmutableHashSet<TFact>? ThroughFinally(ControlFlowBranch branch, ImmutableHashSet<TFact> facts)
    {
        foreach (var region in branch.FinallyRegions)
        {
            var entries = Solve(region.FirstBlockOrdinal, region.LastBlockOrdinal, facts);
            var ends = _graph.Blocks
                .Where(block => entries[block.Ordinal] is not null && EndsFinally(block, region))
                .Select(block => OperationsOf(block).Aggregate(entries[block.Ordinal]!, (known, operation) => Step(operation, known)))
                .ToList();
            if (ends.Count == 0)
                return null;

            facts = ends.Aggregate((one, other) => one.Intersect(other));
        }

        return facts;
    }

    private static bool EndsFinally(BasicBlock block, ControlFlowRegion region)
    {
        if (block.FallThroughSuccessor?.Semantics != ControlFlowBranchSemantics.StructuredExceptionHandling)
            return false;

        var around = block.EnclosingRegion;
        while (around.Kind is not ControlFlowRegionKind.Finally && around.EnclosingRegion is not null)
            around = around.EnclosingRegion;
        return around == region;
    }
}
