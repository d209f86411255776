using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

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
                if (symbol.IsImplicitlyDeclared || !compilation.IsSymbolAccessibleWithin(symbol, compilation.Assembly))
                    continue;

                // An override takes the place of what it overrides, and whatever else has the name hides what a base class has.
                var hidden = members.FindIndex(other => other.Symbol.Name == symbol.Name);
                var member = symbol.IsStatic || Names.Has(symbol, Names.Ignore) ? null : ReadOne(symbol, compilation);
                if (hidden >= 0)
                    members.RemoveAt(hidden);
                if (member is not null)
                    members.Insert(hidden >= 0 ? hidden : members.Count, member);
            }
        }

        return members;
    }

    /// <summary>Inherited members are where they are; a fault in them is shown at the message.</summary>
    public static ISymbol Where(Member member, INamedTypeSymbol type) =>
        SymbolEqualityComparer.Default.Equals(member.Symbol.ContainingType, type) ? member.Symbol : type;

    /// <summary>The attribute of a member, or of the parameter that a positional record makes it from.</summary>
    public static AttributeData? FindAttribute(Member member, string name) =>
        Names.FindAttribute(member.Symbol, name) ??
        (FindParameter(member) is { } parameter ? Names.FindAttribute(parameter, name) : null);

    /// <summary>Whether reading a member runs code that is not the compiler's own.</summary>
    public static bool HasOwnGetter(Member member) =>
        member.Symbol is IPropertySymbol property && Accessor(property, static one => one.GetMethod) is { } getter &&
        (!HasField(property, getter) || getter.DeclaringSyntaxReferences.Any(static one =>
            one.GetSyntax() is ArrowExpressionClauseSyntax or AccessorDeclarationSyntax { Body: not null } or AccessorDeclarationSyntax { ExpressionBody: not null }));

    /// <summary>The parameter of a constructor, the longest first, that a member is named after.</summary>
    public static IParameterSymbol? FindParameter(Member member)
    {
        var parameters = member.Symbol.ContainingType.InstanceConstructors
            .OrderByDescending(static constructor => constructor.Parameters.Length)
            .SelectMany(static constructor => constructor.Parameters)
            .Where(parameter => IsNamedAfter(member.Symbol, member.Type, parameter))
            .ToList();
        return parameters.Find(parameter => parameter.Name == member.Symbol.Name) ?? parameters.FirstOrDefault();
    }

    /// <summary>The member that a parameter is named after: to the letter, or but for the case.</summary>
    public static Member? FindMember(List<Member> members, IParameterSymbol parameter)
    {
        var found = members.FindAll(member => IsNamedAfter(member.Symbol, member.Type, parameter));
        return found.Find(member => member.Symbol.Name == parameter.Name) ?? found.FirstOrDefault();
    }

    /// <summary>Whether a parameter is named after a member that does not travel.</summary>
    public static bool IsLeftOut(INamedTypeSymbol type, IParameterSymbol parameter) => type.GetMembers().Any(symbol => Names.Has(symbol, Names.Ignore) && symbol switch
    {
        IPropertySymbol property => IsNamedAfter(symbol, property.Type, parameter),
        IFieldSymbol field => IsNamedAfter(symbol, field.Type, parameter),
        _ => false,
    });

    private static bool IsNamedAfter(ISymbol member, ITypeSymbol type, IParameterSymbol parameter) =>
        string.Equals(parameter.Name, member.Name, StringComparison.OrdinalIgnoreCase) && SymbolEqualityComparer.Default.Equals(parameter.Type, type);

    private static Member? ReadOne(ISymbol symbol, Compilation compilation)
    {
        switch (symbol)
        {
            case IPropertySymbol { IsIndexer: false, DeclaredAccessibility: Accessibility.Public } property:
                var getter = Accessor(property, static one => one.GetMethod);
                if (getter is null || !compilation.IsSymbolAccessibleWithin(getter, compilation.Assembly))
                    return null;
                var setter = Accessor(property, static one => one.SetMethod);
                var reachable = setter is not null && compilation.IsSymbolAccessibleWithin(setter, compilation.Assembly);

                // A property without a field of its own and without a setter is computed: nothing to send.
                if (!reachable && !HasField(property, getter))
                    return null;
                return new Member(symbol, property.Type, reachable && !setter!.IsInitOnly, reachable);

            case IFieldSymbol { DeclaredAccessibility: Accessibility.Public } field:
                return new Member(symbol, field.Type, !field.IsReadOnly, !field.IsReadOnly);

            default:
                return null;
        }
    }

    /// <summary>An override may leave one of the accessors to what it overrides.</summary>
    private static IMethodSymbol? Accessor(IPropertySymbol property, Func<IPropertySymbol, IMethodSymbol?> which)
    {
        for (var one = property; one is not null; one = one.OverriddenProperty)
        {
            if (which(one) is { } accessor)
                return accessor;
        }

        return null;
    }

    // Another assembly's private fields aren't read, but the compiler marks the accessors that it wrote itself.
    private static bool HasField(IPropertySymbol property, IMethodSymbol getter) =>
        property.DeclaringSyntaxReferences.Length == 0
            ? Names.Has(getter, "System.Runtime.CompilerServices.CompilerGeneratedAttribute")
            : property.ContainingType.GetMembers().OfType<IFieldSymbol>().Any(field => SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property));
}
