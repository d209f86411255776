using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Recognizes the lambdas that are registered as handlers of a host.</summary>
internal static class HandlerRegistrations
{
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

    /// <summary>Returns the lambda or local function that directly contains an operation.</summary>
    public static IOperation? NearestFunction(this IOperation operation)
    {
        var around = operation.Parent;
        while (around is not (null or IAnonymousFunctionOperation or ILocalFunctionOperation))
            around = around.Parent;
        return around;
    }
}
