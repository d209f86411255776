using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

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
