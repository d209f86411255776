using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines how an instance is constructed from its members.</summary>
internal static class ConstructionReader
{
    private const string SetsRequired = "System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute";

    public static ConstructionPlan Read(INamedTypeSymbol type, List<Member> members, Compilation compilation, Fault report)
    {
        var constructors = type.InstanceConstructors.Where(constructor => compilation.IsSymbolAccessibleWithin(constructor, compilation.Assembly)).ToList();
        var required = RequiredMembers.Of(type);
        var bare = constructors.Find(static constructor => constructor.Parameters.Length == 0);
        if (bare is not null)
        {
            var mustSet = required.Count > 0 && !Names.Has(bare, SetsRequired);
            if (!mustSet && members.TrueForAll(static member => member.IsSettable))
                return ConstructionPlan.Setters;
            if (members.TrueForAll(static member => member.IsInitializable) && (!mustSet || required.TrueForAll(symbol => Contains(members, symbol))))
                return new ConstructionPlan(Construction.Values, [], members);
        }

        // The constructor that takes the most members. Among several, the constructor that needs the fewest arguments, which the compiler prefers too.
        var best = constructors
            .Select(constructor => TryPlan(constructor, type, members, required))
            .Where(static plan => plan is not null)
            .OrderByDescending(static plan => plan!.Arguments.Count(static argument => argument.Member is not null))
            .ThenBy(static plan => plan!.Arguments.Count)
            .FirstOrDefault();
        if (best is not null)
            return best;

        ReportObstacle(type, members, required, report);
        return ConstructionPlan.Setters;
    }

    private static ConstructionPlan? TryPlan(IMethodSymbol constructor, INamedTypeSymbol type, List<Member> members, List<ISymbol> required)
    {
        var arguments = new List<Argument>();
        var rest = new List<Member>(members);
        foreach (var parameter in constructor.Parameters)
        {
            if (parameter.RefKind is RefKind.Ref or RefKind.Out)
                return null;
            if (MemberReader.FindMember(rest, parameter) is { } member)
            {
                rest.Remove(member);
                arguments.Add(new Argument(parameter, member));
            }
            else if (MemberReader.IsLeftOut(type, parameter) && !parameter.IsOptional)
            {
                arguments.Add(new Argument(parameter, null));
            }
            else if (!parameter.IsOptional)
            {
                return null;
            }
        }

        var mustSet = Names.Has(constructor, SetsRequired) ? [] : required;
        if (arguments.Count == 0 || !rest.TrueForAll(static member => member.IsInitializable) || !mustSet.TrueForAll(symbol => Contains(members, symbol)))
            return null;
        return new ConstructionPlan(Construction.Values, arguments, [.. members.Where(member => rest.Contains(member) || mustSet.Contains(member.Symbol, SymbolEqualityComparer.Default))]);
    }

    private static void ReportObstacle(INamedTypeSymbol type, List<Member> members, List<ISymbol> required, Fault report)
    {
        var missing = required.Find(symbol => !Contains(members, symbol));
        if (members.Find(static member => !member.IsInitializable) is { } obstacle)
            report(ContractRules.NotSettable, MemberReader.Where(obstacle, type), obstacle.Symbol.Name, type.Name);
        else if (missing is not null)
            report(ContractRules.UnsupportedMessage, type, type.Name, $"'{missing.Name}' is required to construct it, but is not sent");
        else
            report(ContractRules.UnsupportedMessage, type, type.Name, "it has no constructor without parameters and no constructor that takes only its members");
    }

    private static bool Contains(List<Member> members, ISymbol symbol) => members.Exists(member => SymbolEqualityComparer.Default.Equals(member.Symbol, symbol));
}
