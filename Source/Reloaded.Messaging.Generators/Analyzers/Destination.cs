using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>Where the value of an expression goes.</summary>
internal static class Destination
{
    /// <summary>Whether nothing is left of the value after its statement, and nothing else got it.</summary>
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

    /// <summary>The local that the value is kept in, or null where it goes elsewhere or <c>using</c> releases it.</summary>
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

    /// <summary>Climbs through what only passes the value on.</summary>
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
