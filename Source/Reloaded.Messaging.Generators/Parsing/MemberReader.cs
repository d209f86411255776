using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A member that may travel, before its type was looked at.</summary>
/// <param name="Symbol">The property or field.</param>
/// <param name="Type">Its type.</param>
/// <param name="IsSettable">Whether it can be set once an instance exists.</param>
/// <param name="IsInitializable">Whether it can be set while an instance is made.</param>
internal sealed record Member(ISymbol Symbol, ITypeSymbol Type, bool IsSettable, bool IsInitializable);

/// <summary>Finds a type's members that travel: base classes' first, each class's in the order of their declaration.</summary>
internal static class MemberReader
{
    public static List<Member> Read(INamedTypeSymbol type, Compilation compilation)
    {
        var members = new List<Member>();
        var hierarchy = new Stack<INamedTypeSymbol>();
        for (var part = type; part is not null && part.SpecialType == SpecialType.None; part = part.BaseType)
            hierarchy.Push(part);

        foreach (var part in hierarchy)
        {
            foreach (var symbol in part.GetMembers())
            {
                if (symbol.IsStatic || symbol.IsImplicitlyDeclared || Names.Has(symbol, Names.Ignore))
                    continue;
                if (ReadOne(symbol, compilation) is not { } member)
                    continue;

                // An override takes the place of what it overrides.
                var hidden = members.FindIndex(other => other.Symbol.Name == symbol.Name);
                if (hidden >= 0)
                    members[hidden] = member;
                else
                    members.Add(member);
            }
        }

        return members;
    }

    /// <summary>The attribute of a member, or of the parameter that a positional record makes it from.</summary>
    public static AttributeData? FindAttribute(Member member, string name) =>
        Names.FindAttribute(member.Symbol, name) ??
        (FindParameter(member) is { } parameter ? Names.FindAttribute(parameter, name) : null);

    /// <summary>The parameter of a constructor, the longest first, that a member is named after.</summary>
    public static IParameterSymbol? FindParameter(Member member) =>
        member.Symbol.ContainingType.InstanceConstructors
            .OrderByDescending(static constructor => constructor.Parameters.Length)
            .SelectMany(static constructor => constructor.Parameters)
            .FirstOrDefault(parameter => IsNamedAfter(member, parameter));

    public static bool IsNamedAfter(Member member, IParameterSymbol parameter) =>
        string.Equals(parameter.Name, member.Symbol.Name, StringComparison.OrdinalIgnoreCase) &&
        SymbolEqualityComparer.Default.Equals(parameter.Type, member.Type);

    private static Member? ReadOne(ISymbol symbol, Compilation compilation)
    {
        switch (symbol)
        {
            case IPropertySymbol { IsIndexer: false, GetMethod: not null, DeclaredAccessibility: Accessibility.Public } property:
                var setter = property.SetMethod;
                var reachable = setter is not null && compilation.IsSymbolAccessibleWithin(setter, compilation.Assembly);

                // A property without a field of its own and without a setter is computed: nothing to send.
                if (!reachable && !HasField(property))
                    return null;
                return new Member(symbol, property.Type, reachable && !setter!.IsInitOnly, reachable);

            case IFieldSymbol { DeclaredAccessibility: Accessibility.Public } field:
                return new Member(symbol, field.Type, !field.IsReadOnly, !field.IsReadOnly);

            default:
                return null;
        }
    }

    private static bool HasField(IPropertySymbol property) =>
        property.ContainingType.GetMembers().OfType<IFieldSymbol>().Any(field => SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property));
}
