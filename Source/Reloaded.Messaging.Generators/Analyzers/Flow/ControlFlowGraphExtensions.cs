using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.FlowAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers.Flow;

internal static class ControlFlowGraphExtensions
{
    /// <summary>The graph of a function and the graphs of all lambdas and local functions in it. They are separate, because each function runs at a different time.</summary>
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
