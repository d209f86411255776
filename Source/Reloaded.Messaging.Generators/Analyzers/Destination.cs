using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Determines where the value of an expression is stored or passed.</summary>
internal static class Destination
{
    /// <summary>Returns whether the value is lost after its statement and was not passed to other code.</summary>
    public static bool IsDropped(IOperation value)
    {
        value = Outermost(value);
        return value.Parent switch
        {
            IExpressionStatementOperation statement => !statement.IsWholeLambda(),
            ISimpleAssignmentOperation { Target: IDiscardOperation, Parent: IExpressionStatementOperation statement } => !statement.IsWholeLambda(),
            IPropertyReferenceOperation property => property.Instance == value,
            IInvocationOperation call => call.Instance == value && !call.IsDispose(),
            _ => false,
        };
    }

    /// <summary>The local that stores the value, or <c>null</c> if the value is not stored in a local or <c>using</c> releases it.</summary>
    public static ILocalSymbol? Local(IOperation value)
    {
        value = Outermost(value);
        return value.Parent switch
        {
            IVariableInitializerOperation { Parent: IVariableDeclaratorOperation { Symbol.IsUsing: false } declarator } => declarator.Symbol,
            ISimpleAssignmentOperation { Target: ILocalReferenceOperation target, Parent: IExpressionStatementOperation } => target.Local,
            _ => null,
        };
    }

    /// <summary>Skips the parent expressions that return the value unchanged.</summary>
    private static IOperation Outermost(IOperation value)
    {
        while (true)
        {
            switch (value.Parent)
            {
                case IConditionalOperation { Type: not null } choice when choice.Condition != value:
                    value = choice;
                    break;
                case ISwitchExpressionArmOperation { Parent: ISwitchExpressionOperation choice } arm when arm.Value == value:
                    value = choice;
                    break;
                default:
                    return value;
            }
        }
    }
}
