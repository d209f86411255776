using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines how an instance is constructed from its members.</summary>
internal static class ConstructionReader
{
    private const string SetsRequired = "System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute";

    public static ConstructionPlan Read(INamedTypeSymbol type, List<Member> members, Compilation compilation, Fault report)
    {
        var isInside = PartialTypes.Is(type, compilation);
        var reachable = type.InstanceConstructors.Where(constructor => PartialTypes.CanAccess(constructor, type, compilation, isInside)).ToList();
        var required = FindRequired(type);
        var marked = type.InstanceConstructors.Where(static constructor => Names.Has(constructor, Names.Constructor)).ToList();
        if (members.Find(member => member.IsHidden && !MemberReader.CanRead(member, type, compilation)) is { } unreadable)
        {
            report(ContractRules.NotSettable, MemberReader.Where(unreadable, type), unreadable.Symbol.Name, type.Name);
            return ConstructionPlan.Setters;
        }

        if (marked.Count > 0)
            return ReadMarked(type, marked, reachable, members, required, report);

        // A constructor that is not accessible elsewhere is only used if the others cannot create an instance.
        var plan = Read(type, reachable.FindAll(constructor => compilation.IsSymbolAccessibleWithin(constructor, compilation.Assembly)), members, required) ?? Read(type, reachable, members, required);
        if (plan is not null)
            return plan;
        ReportObstacle(type, members, required, report);
        return ConstructionPlan.Setters;
    }

    private static ConstructionPlan ReadMarked(INamedTypeSymbol type, List<IMethodSymbol> marked, List<IMethodSymbol> reachable, List<Member> members, List<ISymbol> required, Fault report)
    {
        string? reason = null;
        if (marked.Count > 1)
            reason = "two of its constructors are marked [MessageConstructor]";
        else if (!reachable.Contains(marked[0], SymbolEqualityComparer.Default))
            reason = "its constructor with [MessageConstructor] is not accessible; make the type partial, or the constructor internal or public";
        else if (marked[0].Parameters.FirstOrDefault(parameter => MemberReader.FindMember(members, parameter) is null && !MemberReader.IsLeftOut(type, parameter)) is { } unknown)
            reason = $"its constructor with [MessageConstructor] has the parameter '{unknown.Name}', and no member has this name and type";
        else if (Read(type, marked, members, required) is { } plan)
            return plan;
        if (reason is null)
            ReportObstacle(type, members, required, report);
        else
            report(ContractRules.UnsupportedMessage, type, type.Name, reason);
        return ConstructionPlan.Setters;
    }

    private static ConstructionPlan? Read(INamedTypeSymbol type, List<IMethodSymbol> constructors, List<Member> members, List<ISymbol> required)
    {
        var bare = constructors.Find(static constructor => constructor.Parameters.Length == 0);

        // The constructor that the compiler gives to a struct runs no initializers. So a struct with a primary constructor is created by that one.
        if (bare is { IsImplicitlyDeclared: true } && type.IsValueType && constructors.Find(IsPrimary) is { } primary && TryPlan(primary, type, members, required) is { } positional)
            return positional;
        if (bare is not null)
        {
            var mustSet = Names.Has(bare, SetsRequired) ? [] : required;
            if (mustSet.Count == 0 && members.TrueForAll(static member => member.IsSettable))
                return ConstructionPlan.Setters with { Constructor = bare };
            if (members.TrueForAll(static member => member.IsInitializable) && mustSet.TrueForAll(symbol => Contains(members, symbol)))
                return new ConstructionPlan(Construction.Values, [], members, bare, MustSet(members, mustSet));
        }

        // The constructor that takes the most members. Among several, the constructor that needs the fewest arguments, which the compiler prefers too.
        return constructors
            .Select(constructor => TryPlan(constructor, type, members, required))
            .Where(static plan => plan is not null)
            .OrderByDescending(static plan => plan!.Arguments.Count(static argument => argument.Member is not null))
            .ThenBy(static plan => plan!.Arguments.Count)
            .FirstOrDefault();
    }

    /// <summary>The members that must be set to construct an instance, including members that are not sent.</summary>
    public static List<ISymbol> FindRequired(INamedTypeSymbol type)
    {
        var required = new List<ISymbol>();
        for (var part = type; part is not null; part = part.BaseType)
        {
            foreach (var symbol in part.GetMembers())
            {
                // An override of a required member is also required and replaces it.
                var isRequired = symbol is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true };
                if (isRequired && !required.Exists(other => other.Name == symbol.Name))
                    required.Add(symbol);
            }
        }

        return required;
    }

    private static ConstructionPlan? TryPlan(IMethodSymbol constructor, INamedTypeSymbol type, List<Member> members, List<ISymbol> required)
    {
        var arguments = new List<Argument>();
        var rest = new List<Member>(members);
        foreach (var parameter in constructor.Parameters)
        {
            if (parameter.RefKind is RefKind.Ref or RefKind.Out || IsUnsafe(parameter.Type))
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
        var set = MustSet(members, mustSet);
        return new ConstructionPlan(Construction.Values, arguments, [.. members.Where(member => rest.Contains(member) || set.Contains(member))], constructor, set);
    }

    /// <summary>Returns whether only unsafe code can call a constructor with such a parameter.</summary>
    private static bool IsUnsafe(ITypeSymbol type) => type is IPointerTypeSymbol or IFunctionPointerTypeSymbol || (type is IArrayTypeSymbol array && IsUnsafe(array.ElementType));

    private static List<Member> MustSet(List<Member> members, List<ISymbol> required) => members.FindAll(member => required.Contains(member.Symbol, SymbolEqualityComparer.Default));

    private static bool IsPrimary(IMethodSymbol constructor) => constructor.DeclaringSyntaxReferences.Any(static reference => reference.GetSyntax() is TypeDeclarationSyntax);

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

/// <summary>How an instance is made from its members.</summary>
/// <param name="Kind">Whether the instance is constructed before or after its members are read.</param>
/// <param name="Arguments">The arguments of the constructor. Parameters that are not listed are optional.</param>
/// <param name="Initialized">The members that an object initializer sets.</param>
/// <param name="Constructor">The constructor; <c>null</c> for a type that cannot be constructed.</param>
/// <param name="Required">The members that C# demands in the object initializer.</param>
internal sealed record ConstructionPlan(Construction Kind, IReadOnlyList<Argument> Arguments, IReadOnlyList<Member> Initialized, IMethodSymbol? Constructor, IReadOnlyList<Member> Required)
{
    /// <summary>The plan of a class with setters. Also returned, after a report, for a type that cannot be constructed.</summary>
    public static ConstructionPlan Setters { get; } = new(Construction.Setters, [], [], null, []);

    public EquatableArray<ArgumentModel> ArgumentModels() =>
        new(Arguments.Select(static argument => new ArgumentModel(argument.Parameter.Name, Names.Qualified(argument.Parameter.Type), argument.Member?.Symbol.Name)));

    public EquatableArray<string> InitializedNames() => new(Initialized.Select(static member => member.Symbol.Name));
}

/// <summary>A parameter and the member that it takes; <c>null</c> for a member that is excluded from the message.</summary>
internal sealed record Argument(IParameterSymbol Parameter, Member? Member);
