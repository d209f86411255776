using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>What the expression around a variable does with it.</summary>
internal static class VariableUse
{
    /// <summary>Whether the variable may be another one afterwards. Plain assignments apart, anything may that is not known to read it.</summary>
    public static bool MayReplace(IOperation variable) => variable.Parent switch
    {
        IPropertyReferenceOperation or IInvocationOperation or IBinaryOperation or IConversionOperation or INameOfOperation => false,
        IReturnOperation or IVariableInitializerOperation or IUsingOperation => false,
        IArgumentOperation argument => argument.Parameter?.RefKind is RefKind.Ref or RefKind.Out,
        ISimpleAssignmentOperation => false,
        _ => true,
    };

    /// <summary>Whether the variable is what a plain assignment assigns to.</summary>
    public static bool IsAssigned(IOperation variable) => variable.Parent is ISimpleAssignmentOperation assignment && assignment.Target == variable;

    /// <summary>Whether a reference to a local or parameter gives it a second name, or is one from another function than its own.</summary>
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
