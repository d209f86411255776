using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines whether a message uses a symbol that is obsolete with an error. Only obsolete code may use such a symbol.</summary>
internal static class ForbiddenUse
{
    public static bool IsIn(INamedTypeSymbol type, List<Member> members) =>
        IsTypeForbidden(type) || type.InstanceConstructors.Any(IsForbidden) || type.GetAttributes().Any(one => UnionReader.CaseOf(one, type) is { } union && IsTypeForbidden(union)) || members.Exists(static member => IsMemberForbidden(member.Symbol) || IsTypeForbidden(member.Type));

    /// <summary>Also checks the properties that an override overrides, as the compiler does. They may have an additional accessor.</summary>
    public static bool IsMemberForbidden(ISymbol member)
    {
        for (var property = member as IPropertySymbol; property is not null; property = property.OverriddenProperty)
        {
            if (IsForbidden(property) || IsForbidden(property.GetMethod) || IsForbidden(property.SetMethod))
                return true;
        }

        return IsForbidden(member);
    }

    /// <summary>Also checks the types of a method's parameters and result, and of the parameters of an event.</summary>
    public static bool IsServiceMemberForbidden(ISymbol member) => IsForbidden(member) || member switch
    {
        IMethodSymbol method => IsTypeForbidden(method.ReturnType) || method.Parameters.Any(static parameter => IsTypeForbidden(parameter.Type)),
        IEventSymbol { Type: INamedTypeSymbol { DelegateInvokeMethod: { } raise } handler } => IsTypeForbidden(handler) || IsServiceMemberForbidden(raise),
        _ => false,
    };

    /// <summary>Also checks the types that are part of a type's name: its items, its type arguments and its containing types.</summary>
    public static bool IsTypeForbidden(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => IsTypeForbidden(array.ElementType),
        INamedTypeSymbol named => IsForbidden(named) || named.TypeArguments.Any(IsTypeForbidden) || (named.ContainingType is { } outer && IsTypeForbidden(outer)),
        _ => false,
    };

    public static bool IsForbidden(ISymbol? symbol) =>
        symbol is not null && Names.FindAttribute(symbol, "System.ObsoleteAttribute") is { } attribute && Names.Argument(attribute, 1) is true;
}
