using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Which calls hand a value of one type over to their caller.</summary>
/// <remarks>
/// Methods that say so themselves. A type parameter that happens to be the type is not enough, because a collection's <c>Peek</c> returns
/// what it keeps; nor is a method that takes such a value too, because it may return what it was given.
/// </remarks>
internal sealed class Handover(INamedTypeSymbol type)
{
    /// <summary>The call that an expression's value comes from, or null where it is no call, or one that hands nothing over.</summary>
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
