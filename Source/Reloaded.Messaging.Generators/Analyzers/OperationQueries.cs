using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
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

    /// <summary>Returns whether a lambda is passed to the library as a handler.</summary>
    public static bool IsHandler(this IAnonymousFunctionOperation lambda) => lambda.FindHandlerCall() is not null;

    /// <summary>Returns the call that registers a lambda as a handler, or <c>null</c>.</summary>
    public static IInvocationOperation? FindHandlerCall(this IAnonymousFunctionOperation lambda) =>
        lambda.Parent is IDelegateCreationOperation { Parent: IArgumentOperation { Parent: IInvocationOperation call } } && call.TargetMethod.IsHandlerRegistration() ? call : null;

    /// <summary>Returns whether a method registers a handler at a host or dispatcher of the library.</summary>
    public static bool IsHandlerRegistration(this IMethodSymbol method) => MessageCalls.Registering.Contains(method.Name) && method.IsLibrary();

    /// <summary>Returns whether a type is a task of the framework, with or without a result.</summary>
    public static bool IsTask(ITypeSymbol? type) =>
        type is { Name: "Task" or "ValueTask", ContainingNamespace: { Name: "Tasks", ContainingNamespace: { Name: "Threading", ContainingNamespace: { Name: "System", ContainingNamespace.IsGlobalNamespace: true } } } };

    /// <summary>Returns whether a method or type belongs to the library.</summary>
    public static bool IsLibrary(this ISymbol symbol)
    {
        var space = symbol.ContainingNamespace;
        while (space is { ContainingNamespace.ContainingNamespace: { IsGlobalNamespace: false } })
            space = space.ContainingNamespace;
        return space is { Name: "Messaging", ContainingNamespace: { Name: "Reloaded", ContainingNamespace.IsGlobalNamespace: true } };
    }

    /// <summary>Returns whether a method has a parameter for the contract of a message.</summary>
    public static bool TakesContract(this IMethodSymbol method, INamedTypeSymbol contract) =>
        method.Parameters.Any(parameter => SymbolEqualityComparer.Default.Equals(parameter.Type.OriginalDefinition, contract));

    /// <summary>Returns the type for a type parameter that has one of the names, or <c>null</c>.</summary>
    public static ITypeSymbol? TypeArgument(this IMethodSymbol method, params string[] names)
    {
        for (var i = 0; i < method.TypeParameters.Length; i++)
        {
            if (names.Contains(method.TypeParameters[i].Name))
                return method.TypeArguments[i];
        }

        return null;
    }

    /// <summary>Returns the place of the method's name in a call.</summary>
    public static Location NameLocation(this IInvocationOperation call) => call.Syntax is InvocationExpressionSyntax { Expression: var expression }
        ? (expression switch
        {
            MemberAccessExpressionSyntax access => access.Name,
            MemberBindingExpressionSyntax binding => binding.Name,
            _ => expression,
        }).GetLocation()
        : call.Syntax.GetLocation();

    private static IOperation Root(IOperation operation)
    {
        while (operation.Parent is { } parent)
            operation = parent;
        return operation;
    }
}
