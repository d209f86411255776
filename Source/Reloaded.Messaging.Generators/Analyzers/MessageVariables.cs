using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>The locals and parameters of a body that hold packed messages, and the locals that are views of their bytes.</summary>
/// <remarks>
/// Variables that a lambda or local function captures, or that a <c>ref</c> references, are not followed. Their value may change at any
/// moment.
/// </remarks>
internal sealed class MessageVariables
{
    private readonly HashSet<ISymbol> _followed = new(SymbolEqualityComparer.Default);
    private readonly Dictionary<ISymbol, ISymbol> _ownerOfView = new(SymbolEqualityComparer.Default);

    private MessageVariables(ITypeSymbol message) => Message = message;

    /// <summary>The type <c>PackedMessage</c>.</summary>
    public ITypeSymbol Message { get; }

    /// <summary>Whether the body releases a message. If not, there is nothing to follow.</summary>
    public bool AnyReleased { get; private set; }

    public static MessageVariables In(IOperation body, INamedTypeSymbol message, ISymbol method)
    {
        var variables = new MessageVariables(message);
        var shared = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
        var reassigned = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
        var views = new List<(ILocalSymbol View, ISymbol Owner)>();
        foreach (var operation in body.Descendants())
        {
            if (operation.Variable() is { } variable)
            {
                if (variables.IsMessage(operation.Type))
                    variables._followed.Add(variable);
                if (operation.IsShared(method))
                    shared.Add(variable);
                if (VariableUse.MayReplace(operation) || VariableUse.IsAssigned(operation))
                    reassigned.Add(variable);
                if (operation.Parent is IInvocationOperation call && call.IsDispose())
                    variables.AnyReleased = true;
            }
            else if (operation is IVariableDeclaratorOperation declarator && ViewedBy(declarator) is { } owner)
            {
                views.Add((declarator.Symbol, owner));
            }
        }

        variables._followed.ExceptWith(shared);

        // A view belongs to the message that its variable held at that time. The message is known only if the variable is never reassigned.
        views.RemoveAll(pair => shared.Contains(pair.View) || reassigned.Contains(pair.View) || reassigned.Contains(pair.Owner));
        foreach (var (view, owner) in views)
            variables._ownerOfView.Add(view, owner);
        return variables;
    }

    public bool IsMessage(ITypeSymbol? type) => SymbolEqualityComparer.Default.Equals(type, Message);

    /// <summary>Returns the variable that an expression references if it holds a message and is followed; otherwise, <c>null</c>.</summary>
    public ISymbol? Followed(IOperation? expression) => expression.Variable() is { } variable && _followed.Contains(variable) ? variable : null;

    /// <summary>Returns whether an expression references a local that is a view of a message's bytes.</summary>
    public bool IsView(IOperation expression) => expression.Variable() is { } variable && _ownerOfView.ContainsKey(variable);

    /// <summary>Returns the locals that are views of the message in a variable.</summary>
    public IEnumerable<ISymbol> ViewsOf(ISymbol owner) =>
        _ownerOfView.Where(pair => SymbolEqualityComparer.Default.Equals(pair.Value, owner)).Select(pair => pair.Key);

    private static ISymbol? ViewedBy(IVariableDeclaratorOperation declarator) =>
        declarator.Initializer?.Value is IPropertyReferenceOperation view && PackedMessageType.IsView(view.Property) ? view.Instance.Variable() : null;
}
