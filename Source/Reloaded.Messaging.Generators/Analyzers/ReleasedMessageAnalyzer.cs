using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Analyzers.Flow;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>RM2002: a packed message, or a span of its bytes, is used after a release that certainly happened.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ReleasedMessageAnalyzer() : MessagingAnalyzer(Names.PackedMessage, UsageRules.MessageUsedAfterRelease)
{
    private protected override void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type) => start.RegisterOperationBlockAction(blocks => Check(blocks, type));

    private static void Check(OperationBlockAnalysisContext context, INamedTypeSymbol message)
    {
        foreach (var body in context.OperationBlocks.ByBody())
        {
            var variables = MessageVariables.In(body.Key, message, context.OwningSymbol);
            if (!variables.AnyReleased)
                continue;

            var flow = new ReleaseFlow(variables, Report);
            flow.Run(context.GetControlFlowGraph(body.First()), context.CancellationToken);
        }

        void Report(SyntaxNode place, string name, string what) =>
            context.ReportDiagnostic(Diagnostic.Create(UsageRules.MessageUsedAfterRelease, place.GetLocation(), name, what));
    }
}

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
            IInvocationOperation call => NeedsLiveMessage(call.TargetMethod) ? used : null,
            IPropertyReferenceOperation property => NeedsLiveMessage(property.Property) ? used : null,
            IArgumentOperation argument => IsSentOn(argument) ? used : null,
            _ => null,
        };
    }

    /// <summary>Returns whether a member throws once the message is released. Comparisons and <c>IsReleased</c> do not throw.</summary>
    private static bool NeedsLiveMessage(ISymbol member) =>
        member is { IsOverride: false, Name: not ("Dispose" or "IsReleased" or "Equals" or "GetType") };

    /// <summary>Returns whether an argument is passed to a <c>PackedMessage</c> parameter. A method that takes values of any type may only compare the message.</summary>
    private bool IsSentOn(IArgumentOperation argument) =>
        argument.Parameter is { RefKind: not (RefKind.Out or RefKind.Ref) } parameter &&
        variables.IsMessage(parameter.OriginalDefinition.Type) &&
        !variables.IsMessage(parameter.ContainingType);
}

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

    /// <summary>Returns the variable of the message of whose buffer a local is a view. After the release, such a view shows the next contents of the buffer.</summary>
    private static ISymbol? ViewedBy(IVariableDeclaratorOperation declarator) =>
        declarator.Initializer?.Value is IPropertyReferenceOperation { Property.Name: "Span" or "Memory" } view ? view.Instance.Variable() : null;
}

/// <summary>Determines how the expression around a variable uses it.</summary>
internal static class VariableUse
{
    /// <summary>Returns whether the expression may replace the variable's value. Plain assignments do not count. Any expression that is not known to only read the variable counts.</summary>
    public static bool MayReplace(IOperation variable) => variable.Parent switch
    {
        IPropertyReferenceOperation or IInvocationOperation or IBinaryOperation or IConversionOperation or INameOfOperation => false,
        IReturnOperation or IVariableInitializerOperation or IUsingOperation => false,
        IArgumentOperation argument => argument.Parameter?.RefKind is RefKind.Ref or RefKind.Out,
        ISimpleAssignmentOperation => false,
        _ => true,
    };

    /// <summary>Returns whether the variable is the target of a plain assignment.</summary>
    public static bool IsAssigned(IOperation variable) => variable.Parent is ISimpleAssignmentOperation assignment && assignment.Target == variable;

    /// <summary>Returns whether a reference to a local or parameter creates an alias, or is in another function than the variable's declaration.</summary>
    public static bool IsShared(this IOperation variable, ISymbol method) => variable switch
    {
        ILocalReferenceOperation { Local.RefKind: not RefKind.None } => true,
        ILocalReferenceOperation local => local.IsCaptured() || IsNamedAgain(local),
        IParameterReferenceOperation { Parameter.RefKind: not RefKind.None } => true,
        IParameterReferenceOperation parameter => IsNamedAgain(parameter) ||
            !SymbolEqualityComparer.Default.Equals(parameter.Parameter.ContainingSymbol, parameter.NestedFunction() ?? method),
        _ => false,
    };

    private static bool IsNamedAgain(IOperation variable) => variable.Parent switch
    {
        IVariableInitializerOperation { Parent: IVariableDeclaratorOperation declarator } => declarator.Symbol.RefKind != RefKind.None,
        ISimpleAssignmentOperation assignment => assignment.IsRef,
        IAddressOfOperation => true,
        _ => false,
    };
}
