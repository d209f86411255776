using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Queries on operations that several rules use.</summary>
internal static class OperationQueries
{
    /// <summary>Groups operation blocks by their body. For example, a constructor's initializer and its block have the same body.</summary>
    public static IEnumerable<IGrouping<IOperation, IOperation>> ByBody(this ImmutableArray<IOperation> blocks) => blocks.GroupBy(Root);

    /// <summary>Returns the local or parameter that an expression references, or <c>null</c>.</summary>
    public static ISymbol? Variable(this IOperation? operation) => operation switch
    {
        ILocalReferenceOperation local => local.Local,
        IParameterReferenceOperation parameter => parameter.Parameter,
        _ => null,
    };

    /// <summary>Returns the lambda or local function that contains an operation, or <c>null</c> if the operation is in the body itself.</summary>
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

    /// <summary>Returns whether a lambda or local function uses a local of its containing function. The time and the number of such uses are unknown.</summary>
    public static bool IsCaptured(this ILocalReferenceOperation reference)
    {
        var owner = reference.Local.ContainingSymbol as IMethodSymbol;
        if (owner?.MethodKind is not (MethodKind.AnonymousFunction or MethodKind.LocalFunction))
            owner = null;
        return !SymbolEqualityComparer.Default.Equals(owner, reference.NestedFunction());
    }

    /// <summary>Returns whether a lambda consists of this statement only.</summary>
    /// <remarks>Tests pass such lambdas to an assertion that they throw. The statement then returns no value that could be lost.</remarks>
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
