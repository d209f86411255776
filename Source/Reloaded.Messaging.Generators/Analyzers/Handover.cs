using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Finds the calls that transfer the ownership of a value of one type to the caller.</summary>
/// <remarks>
/// Only methods that declare the type as their return type count. A type parameter is not enough, because a collection's <c>Peek</c>
/// returns a value that the collection keeps. Methods that also take such a value do not count, because they may return their argument.
/// </remarks>
internal sealed class Handover(INamedTypeSymbol type)
{
    /// <summary>The call that returns the value of an expression, or <c>null</c> if the expression is not a call that transfers ownership.</summary>
    public IInvocationOperation? CallBehind(IOperation value) => value switch
    {
        IInvocationOperation call => HandsOver(call, call.TargetMethod.OriginalDefinition.ReturnType) ? call : null,
        IAwaitOperation awaited => AwaitedCall(awaited.Operation),
        _ => null,
    };

    private IInvocationOperation? AwaitedCall(IOperation task)
    {
        if (task is IInvocationOperation { TargetMethod.Name: "ConfigureAwait", Instance: { } configured })
            task = configured;

        return task is IInvocationOperation call &&
            call.TargetMethod.OriginalDefinition.ReturnType is INamedTypeSymbol { Name: "Task" or "ValueTask", Arity: 1 } returned &&
            HandsOver(call, returned.TypeArguments[0])
                ? call
                : null;
    }

    private bool HandsOver(IInvocationOperation call, ITypeSymbol result) =>
        Is(result) &&
        call.TargetMethod.RefKind == RefKind.None &&
        !call.TargetMethod.OriginalDefinition.Parameters.Any(parameter => Is(parameter.Type));

    private bool Is(ITypeSymbol other) => SymbolEqualityComparer.Default.Equals(other, type);
}
