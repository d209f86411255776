using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Records how a body uses the locals that hold packed messages.</summary>
internal sealed class LocalUses
{
    private readonly HashSet<ISymbol> _released = new(SymbolEqualityComparer.Default);
    private readonly HashSet<ISymbol> _handedOn = new(SymbolEqualityComparer.Default);

    public static LocalUses In(IOperation body)
    {
        var uses = new LocalUses();
        foreach (var reference in body.Descendants().OfType<ILocalReferenceOperation>())
        {
            if (reference.Parent is IInvocationOperation call && call.Instance == reference && call.IsDispose())
                uses._released.Add(reference.Local);
            if (!StaysHere(reference) || reference.IsCaptured())
                uses._handedOn.Add(reference.Local);
        }

        return uses;
    }

    public bool IsReleased(ILocalSymbol local) => _released.Contains(local);

    /// <summary>Returns whether other code may have received the message and the duty to release it.</summary>
    public bool IsHandedOn(ILocalSymbol local) => _handedOn.Contains(local);

    private static bool StaysHere(ILocalReferenceOperation reference) => reference.Parent switch
    {
        IPropertyReferenceOperation property => property.Instance == reference,
        IInvocationOperation call => call.Instance == reference,
        ISimpleAssignmentOperation { IsRef: false, Parent: IExpressionStatementOperation } assignment => assignment.Target == reference,
        IBinaryOperation or INameOfOperation => true,
        _ => false,
    };
}
