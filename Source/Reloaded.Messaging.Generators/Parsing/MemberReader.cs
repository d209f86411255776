using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A member that may be sent, before its type is checked.</summary>
/// <param name="Symbol">The property or field.</param>
/// <param name="Type">Its type.</param>
/// <param name="IsSettable">Whether it can be set once an instance exists.</param>
/// <param name="IsInitializable">Whether it can be set while an instance is constructed.</param>
/// <param name="IsHidden">Whether only code inside of the message can read it, or set it in a way of these.</param>
internal sealed record Member(ISymbol Symbol, ITypeSymbol Type, bool IsSettable, bool IsInitializable, bool IsHidden = false);

/// <summary>Finds the members of a type that are sent. Members of base classes come first; members of one class are in the order of their declaration.</summary>
internal static class MemberReader
{
    public static List<Member> Read(INamedTypeSymbol type, Compilation compilation) =>
        CompilationCache.Of(compilation).Members.GetOrAdd(type, one => ReadAll(one, compilation));

    private static List<Member> ReadAll(INamedTypeSymbol type, Compilation compilation)
    {
        var isInside = PartialTypes.Is(type, compilation);
        var members = new List<Member>();
        var hierarchy = new Stack<INamedTypeSymbol>();
        for (var part = type; part is not null && part.SpecialType == SpecialType.None; part = part.BaseType)
            hierarchy.Push(part);

        foreach (var part in hierarchy)
        {
            foreach (var symbol in part.GetMembers())
            {
                if (symbol.IsImplicitlyDeclared || !(compilation.IsSymbolAccessibleWithin(symbol, compilation.Assembly) || IsIncluded(symbol)))
                    continue;

                // An override replaces the overridden member. Any other member with the same name hides the member of the base class.
                var hidden = members.FindIndex(other => other.Symbol.Name == symbol.Name);
                var member = symbol.IsStatic || Names.Has(symbol, Names.Ignore) ? null : ReadOne(symbol, type, compilation, isInside);
                if (hidden >= 0)
                    members.RemoveAt(hidden);
                if (member is not null)
                    members.Insert(hidden >= 0 ? hidden : members.Count, member);
            }
        }

        return members;
    }

    /// <summary>The place at which a fault is reported: the member, or the message if the member is inherited.</summary>
    public static ISymbol Where(Member member, INamedTypeSymbol type) => Where(member.Symbol, type);

    /// <inheritdoc cref="Where(Member, INamedTypeSymbol)"/>
    public static ISymbol Where(ISymbol member, INamedTypeSymbol type) => SymbolEqualityComparer.Default.Equals(member.ContainingType, type) ? member : type;

    /// <summary>The attribute of a member, or of the parameter from which a positional record creates the member.</summary>
    public static AttributeData? FindAttribute(Member member, string name) =>
        Names.FindAttribute(member.Symbol, name) ??
        (FindParameter(member) is { } parameter ? Names.FindAttribute(parameter, name) : null);

    /// <summary>Returns whether the getter of a member contains code of the program. Getters that the compiler wrote do not.</summary>
    public static bool HasOwnGetter(Member member) =>
        member.Symbol is IPropertySymbol property && GetterOf(member) is { } getter && (!HasField(property, getter) || HasCode(getter));

    /// <summary>The getter of a member that is a property. An override may inherit it.</summary>
    public static IMethodSymbol? GetterOf(Member member) => member.Symbol is IPropertySymbol property ? Accessor(property, static one => one.GetMethod) : null;

    /// <summary>Returns whether the accessors of a member use a field or a property.</summary>
    public static bool Uses(Member member, ISymbol other) => member.Symbol.DeclaringSyntaxReferences.Any(reference =>
        reference.GetSyntax().DescendantNodes().OfType<IdentifierNameSyntax>().Any(name => name.Identifier.ValueText == other.Name));

    /// <summary>Returns whether a property has a field and accessors of the compiler, and no other code can take their place.</summary>
    public static bool IsPlain(IPropertySymbol property) =>
        property is { IsVirtual: false, IsOverride: false, IsAbstract: false, GetMethod: { } getter } && HasField(property, getter) && !HasCode(getter) && (property.SetMethod is not { } setter || !HasCode(setter));

    /// <summary>The constructor parameter with the name of a member. Constructors with more parameters come first.</summary>
    public static IParameterSymbol? FindParameter(Member member)
    {
        var parameters = member.Symbol.ContainingType.InstanceConstructors
            .OrderByDescending(static constructor => constructor.Parameters.Length)
            .SelectMany(static constructor => constructor.Parameters)
            .Where(parameter => IsNamedAfter(member.Symbol, member.Type, parameter))
            .ToList();
        return parameters.Find(parameter => parameter.Name == member.Symbol.Name) ?? parameters.FirstOrDefault();
    }

    /// <summary>The member with the name of a parameter. An exact match is preferred over a match that ignores case.</summary>
    public static Member? FindMember(List<Member> members, IParameterSymbol parameter)
    {
        var found = members.FindAll(member => IsNamedAfter(member.Symbol, member.Type, parameter));
        return found.Find(member => member.Symbol.Name == parameter.Name) ?? found.FirstOrDefault();
    }

    /// <summary>Returns whether a parameter has the name of a member that is excluded from the message.</summary>
    public static bool IsLeftOut(INamedTypeSymbol type, IParameterSymbol parameter) => type.GetMembers().Any(symbol => Names.Has(symbol, Names.Ignore) && symbol switch
    {
        IPropertySymbol property => IsNamedAfter(symbol, property.Type, parameter),
        IFieldSymbol field => IsNamedAfter(symbol, field.Type, parameter),
        _ => false,
    });

    private static bool IsNamedAfter(ISymbol member, ITypeSymbol type, IParameterSymbol parameter) =>
        string.Equals(parameter.Name, member.Name, StringComparison.OrdinalIgnoreCase) && SymbolEqualityComparer.Default.Equals(parameter.Type, type);

    /// <summary>Returns whether generated code can read a member: that inside of the message, or that elsewhere. Inside, the name is that of a private member that hides it.</summary>
    public static bool CanRead(Member member, INamedTypeSymbol type, Compilation compilation) => !(member.IsHidden && HidingOf(member.Symbol, type).Any()) && PartialTypes.CanAccess(GetterOf(member) ?? member.Symbol, type, compilation, PartialTypes.Is(type, compilation));

    /// <summary>The members with the name of an inherited member that are declared between its class and a type derived from it.</summary>
    public static IEnumerable<ISymbol> HidingOf(ISymbol member, INamedTypeSymbol type)
    {
        for (var part = type; part is not null && !SymbolEqualityComparer.Default.Equals(part, member.ContainingType); part = part.BaseType)
        {
            foreach (var one in part.GetMembers(member.Name))
                yield return one;
        }
    }

    private static bool IsIncluded(ISymbol symbol) => symbol is IPropertySymbol or IFieldSymbol && Names.Has(symbol, Names.Include);

    private static Member? ReadOne(ISymbol symbol, INamedTypeSymbol type, Compilation compilation, bool isInside)
    {
        var isIncluded = IsIncluded(symbol);
        if (symbol.DeclaredAccessibility != Accessibility.Public && !isIncluded)
            return null;
        switch (symbol)
        {
            case IPropertySymbol { IsIndexer: false } property:
                var getter = Accessor(property, static one => one.GetMethod);
                if (getter is null || !(isIncluded || compilation.IsSymbolAccessibleWithin(getter, compilation.Assembly)))
                    return null;
                var setter = Accessor(property, static one => one.SetMethod);
                var reachable = setter is not null && PartialTypes.CanAccess(setter, type, compilation, isInside) && PartialTypes.CanAccess(getter, type, compilation, isInside);
                var isHidden = !compilation.IsSymbolAccessibleWithin(getter, compilation.Assembly) || (reachable && !compilation.IsSymbolAccessibleWithin(setter!, compilation.Assembly));

                // A property without a backing field and without a setter is computed. It has no state to send.
                if (!reachable && !HasField(property, getter))
                    return null;
                return new Member(symbol, property.Type, reachable && !setter!.IsInitOnly, reachable, isHidden);

            case IFieldSymbol field:
                var canSet = !field.IsReadOnly && PartialTypes.CanAccess(field, type, compilation, isInside);
                return new Member(symbol, field.Type, canSet, canSet, !compilation.IsSymbolAccessibleWithin(field, compilation.Assembly));

            default:
                return null;
        }
    }

    /// <summary>The accessor of a property. An override may declare only one accessor and inherit the other.</summary>
    private static IMethodSymbol? Accessor(IPropertySymbol property, Func<IPropertySymbol, IMethodSymbol?> which)
    {
        for (var one = property; one is not null; one = one.OverriddenProperty)
        {
            if (which(one) is { } accessor)
                return accessor;
        }

        return null;
    }

    private static bool HasCode(IMethodSymbol accessor) => accessor.DeclaringSyntaxReferences.Any(static one =>
        one.GetSyntax() is ArrowExpressionClauseSyntax or AccessorDeclarationSyntax { Body: not null } or AccessorDeclarationSyntax { ExpressionBody: not null });

    // The private fields of other assemblies are not read, but the compiler marks the accessors that it wrote.
    private static bool HasField(IPropertySymbol property, IMethodSymbol getter) =>
        property.DeclaringSyntaxReferences.Length == 0
            ? Names.Has(getter, "System.Runtime.CompilerServices.CompilerGeneratedAttribute")
            : property.ContainingType.GetMembers().OfType<IFieldSymbol>().Any(field => SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property));
}
