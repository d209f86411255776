using System;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Analyzers.Flow;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Finds uses of messages, and of views of their bytes, after the message was released on every path.</summary>
internal sealed class ReleaseFlow(MessageVariables variables, Action<SyntaxNode, string, string> report)
    : MustFlow<ISymbol>(SymbolEqualityComparer.Default)
{
    protected override bool FollowsExceptions => true;

    protected override ImmutableHashSet<ISymbol> Step(IOperation operation, ImmutableHashSet<ISymbol> facts)
    {
        switch (operation)
        {
            case IInvocationOperation call when call.IsDispose() && variables.Followed(call.Instance) is { } released:
                return facts.Add(released).Union(variables.ViewsOf(released));
            case ISimpleAssignmentOperation assignment when assignment.Target.Variable() is { } assigned:
                return facts.Remove(assigned);
            default:
                return operation.Variable() is { } variable && VariableUse.MayReplace(operation) ? facts.Remove(variable) : facts;
        }
    }

    protected override void Check(IOperation operation, ImmutableHashSet<ISymbol> facts)
    {
        if (operation.Variable() is not { } variable || !facts.Contains(variable))
            return;

        var what = variables.IsView(operation) ? MisuseOfView(operation) : Misuse(operation);
        if (what is not null)
            report(operation.Syntax, variable.Name, what);
    }

    private static string? MisuseOfView(IOperation view)
    {
        if (VariableUse.IsAssigned(view) || view.Parent is IPropertyReferenceOperation { Property.Name: "Length" or "IsEmpty" })
            return null; // the length of the view, which does not need the message
        return "shows the bytes of a message that was released";
    }

    private string? Misuse(IOperation message)
    {
        const string used = "is used after its release";
        return message.Parent switch
        {
            IInvocationOperation call when call.IsDispose() => call.IsImplicit ? null : "is released twice",
            IInvocationOperation call => PackedMessageType.NeedsLiveMessage(call.TargetMethod) ? used : null,
            IPropertyReferenceOperation property => PackedMessageType.NeedsLiveMessage(property.Property) ? used : null,
            IArgumentOperation argument => IsSentOn(argument) ? used : null,
            _ => null,
        };
    }

    /// <summary>Returns whether an argument is passed to a <c>PackedMessage</c> parameter. A method that takes values of any type may only compare the message.</summary>
    private bool IsSentOn(IArgumentOperation argument) =>
        argument.Parameter is { RefKind: not (RefKind.Out or RefKind.Ref) } parameter &&
        variables.IsMessage(parameter.OriginalDefinition.Type) &&
        !variables.IsMessage(parameter.ContainingType);
}
