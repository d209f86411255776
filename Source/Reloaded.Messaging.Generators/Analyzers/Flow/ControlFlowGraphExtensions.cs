using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers.Flow;

internal static class ControlFlowGraphExtensions
{
    /// <summary>A function's graph and those of all lambdas and local functions in it: each runs at a time of its own.</summary>
    public static IEnumerable<ControlFlowGraph> WithNested(this ControlFlowGraph graph, CancellationToken cancellationToken)
    {
        var functions = graph.LocalFunctions.Select(function => graph.GetLocalFunctionControlFlowGraph(function, cancellationToken));
        var lambdas = graph.Blocks
            .SelectMany(block => block.BranchValue is { } value ? block.Operations.Add(value) : block.Operations)
            .SelectMany(operation => operation.DescendantsAndSelf())
            .OfType<IFlowAnonymousFunctionOperation>()
            .Select(lambda => graph.GetAnonymousFunctionControlFlowGraph(lambda, cancellationToken));
        return functions.Concat(lambdas).SelectMany(nested => nested.WithNested(cancellationToken)).Prepend(graph);
    }
}
