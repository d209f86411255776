using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>What more than one rule asks of an operation.</summary>
internal static class OperationQueries
{
    /// <summary>The bodies behind operation blocks: a constructor's initializer and its block, for one, share theirs.</summary>
    public static IEnumerable<IGrouping<IOperation, IOperation>> ByBody(this ImmutableArray<IOperation> blocks) => blocks.GroupBy(Root);

    /// <summary>The local or parameter that an expression is, or null.</summary>
    public static ISymbol? Variable(this IOperation? operation) => operation switch
    {
        ILocalReferenceOperation local => local.Local,
        IParameterReferenceOperation parameter => parameter.Parameter,
        _ => null,
    };

    /// <summary>The lambda or local function around an operation, or null in the body itself.</summary>
    public static IMethodSymbol? NestedFunction(this IOperation operation)
    {
        for (var around = operation.Parent; around is not null; around = around.Parent)
        {
            if (around is IAnonymousFunctionOperation lambda)
                return lambda.Symbol;
            if (around is ILocalFunctionOperation function)
                return function.Symbol;
        }

        return null;
    }

    /// <summary>Whether a lambda or local function uses a variable of the function around it: nobody knows when, or how often.</summary>
    public static bool IsCaptured(this ILocalReferenceOperation reference)
    {
        var owner = reference.Local.ContainingSymbol as IMethodSymbol;
        if (owner?.MethodKind is not (MethodKind.AnonymousFunction or MethodKind.LocalFunction))
            owner = null;
        return !SymbolEqualityComparer.Default.Equals(owner, reference.NestedFunction());
    }

    /// <summary>Whether a statement is all that a lambda does.</summary>
    /// <remarks>A test gives such a lambda to whatever asserts that it throws: it returns no value, so none is lost.</remarks>
    public static bool IsWholeLambda(this IOperation statement) =>
        statement.Parent is IBlockOperation { Parent: IAnonymousFunctionOperation } block &&
        block.Operations.All(other => other == statement || other is IReturnOperation { IsImplicit: true });

    public static bool IsDispose(this IInvocationOperation call) =>
        call.TargetMethod is { Name: "Dispose", Parameters.IsEmpty: true };

    private static IOperation Root(IOperation operation)
    {
        while (operation.Parent is { } parent)
            operation = parent;
        return operation;
    }
}
