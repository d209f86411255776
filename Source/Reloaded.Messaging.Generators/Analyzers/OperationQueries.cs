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

    /// <summary>Returns the lambda or local function that directly contains an operation.</summary>
    public static IOperation? NearestFunction(this IOperation operation)
    {
        var around = operation.Parent;
        while (around is not (null or IAnonymousFunctionOperation or ILocalFunctionOperation))
            around = around.Parent;
        return around;
    }

    /// <summary>Returns the symbol of the lambda or local function that directly contains an operation, or <c>null</c> if the operation is in the body itself.</summary>
    public static IMethodSymbol? NestedFunction(this IOperation operation) => operation.NearestFunction() switch
    {
        IAnonymousFunctionOperation lambda => lambda.Symbol,
        ILocalFunctionOperation function => function.Symbol,
        _ => null,
    };

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

    /// <summary>Returns whether a lambda is an argument of <c>On</c>, <c>OnRequest</c> or <c>OnAuthenticate</c> of the library.</summary>
    public static bool IsHandler(this IAnonymousFunctionOperation lambda) =>
        lambda.Parent is IDelegateCreationOperation { Parent: IArgumentOperation { Parent: IInvocationOperation call } } &&
        call.TargetMethod.Name is "On" or "OnRequest" or "OnAuthenticate" &&
        IsLibrary(call.TargetMethod);

    /// <summary>Returns whether a method belongs to the library.</summary>
    public static bool IsLibrary(this IMethodSymbol method)
    {
        var space = method.ContainingNamespace;
        while (space is { ContainingNamespace.ContainingNamespace: { IsGlobalNamespace: false } })
            space = space.ContainingNamespace;
        return space is { Name: "Messaging", ContainingNamespace: { Name: "Reloaded", ContainingNamespace.IsGlobalNamespace: true } };
    }

    private static IOperation Root(IOperation operation)
    {
        while (operation.Parent is { } parent)
            operation = parent;
        return operation;
    }
}
