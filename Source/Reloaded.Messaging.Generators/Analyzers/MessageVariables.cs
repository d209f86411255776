using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>The locals and parameters of a body that hold packed messages, and the locals that show their bytes.</summary>
/// <remarks>
/// Only those that can be followed: what a lambda or local function shares with the function around it, or a <c>ref</c> names a second
/// time, may change at any moment.
/// </remarks>
internal sealed class MessageVariables
{
    private readonly HashSet<ISymbol> _followed = new(SymbolEqualityComparer.Default);
    private readonly Dictionary<ISymbol, ISymbol> _ownerOfView = new(SymbolEqualityComparer.Default);

    private MessageVariables(ITypeSymbol message) => Message = message;

    /// <summary>The type <c>PackedMessage</c>.</summary>
    public ITypeSymbol Message { get; }

    /// <summary>Whether anything is released, and so worth following.</summary>
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

        // A view is of the message that its variable held at the time: which one that was is known if there is only one.
        views.RemoveAll(pair => shared.Contains(pair.View) || reassigned.Contains(pair.View) || reassigned.Contains(pair.Owner));
        foreach (var (view, owner) in views)
            variables._ownerOfView.Add(view, owner);
        return variables;
    }

    public bool IsMessage(ITypeSymbol? type) => SymbolEqualityComparer.Default.Equals(type, Message);

    /// <summary>The variable that an expression is, if it holds a message and can be followed; otherwise null.</summary>
    public ISymbol? Followed(IOperation? expression) => expression.Variable() is { } variable && _followed.Contains(variable) ? variable : null;

    /// <summary>Whether an expression is a local that shows the bytes of a message.</summary>
    public bool IsView(IOperation expression) => expression.Variable() is { } variable && _ownerOfView.ContainsKey(variable);

    /// <summary>The locals that show the bytes of a variable's message.</summary>
    public IEnumerable<ISymbol> ViewsOf(ISymbol owner) =>
        _ownerOfView.Where(pair => SymbolEqualityComparer.Default.Equals(pair.Value, owner)).Select(pair => pair.Key);

    private static ISymbol? ViewedBy(IVariableDeclaratorOperation declarator) =>
        declarator.Initializer?.Value is IPropertyReferenceOperation view && PackedMessageType.IsView(view.Property) ? view.Instance.Variable() : null;
}
