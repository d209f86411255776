using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A struct without references whose bytes cannot be sent, because of padding or a <c>bool</c>, and whose fields are all public. It is sent like a tuple of its fields, or like its only field.</summary>
internal static class OpenStruct
{
    /// <summary>Returns the surrogate of such a struct; <c>null</c> for all other types.</summary>
    public static Surrogate? Find(INamedTypeSymbol type, string name, Compilation compilation)
    {
        var members = BlittableStruct.Fields(type).Select(static field => (Symbol: field.AssociatedSymbol ?? field, Field: field)).ToList();
        if (!type.IsUnmanagedType || type.IsRefLikeType || members.Count == 0 || !StructLayout.Of(type, compilation).IsSequential || Names.Has(type, "System.Runtime.CompilerServices.InlineArrayAttribute"))
            return null;
        if (!members.TrueForAll(member => IsOpen(member.Symbol, member.Field, compilation)) || ConstructionReader.FindRequired(type).Exists(required => !members.Exists(member => SymbolEqualityComparer.Default.Equals(member.Symbol, required))))
            return null;
        if (members.Count == 1)
            return new Surrogate(members[0].Field.Type, $"value.@{members[0].Symbol.Name}", $"new {name}() {{ @{members[0].Symbol.Name} = {{0}} }}");
        var tuple = compilation.CreateTupleTypeSymbol(
            members.Select(static member => member.Field.Type).ToImmutableArray(),
            members.Select(static member => NameOf(member.Symbol)).ToImmutableArray());
        return new Surrogate(
            tuple,
            $"({string.Join(", ", members.Select(static member => $"value.@{member.Symbol.Name}"))})",
            $"new {name}() {{ {string.Join(", ", members.Select(static (member, i) => $"@{member.Symbol.Name} = {{0}}.Item{i + 1}"))} }}");
    }

    /// <summary>The name of an item of the tuple; <c>null</c> for a name that C# does not allow for an item at any place.</summary>
    private static string? NameOf(ISymbol member) =>
        member.Name.StartsWith("Item", StringComparison.Ordinal) || member.Name is "Rest" or "CompareTo" or "Deconstruct" or "Equals" or "GetHashCode" or "ToString" ? null : member.Name;

    private static bool IsOpen(ISymbol member, IFieldSymbol field, Compilation compilation) =>
        member.DeclaredAccessibility == Accessibility.Public && !field.IsFixedSizeBuffer && !Converters.AreOn(field) && !ForbiddenUse.IsMemberForbidden(member) && member switch
        {
            IPropertySymbol { GetMethod: { } getter, SetMethod: { } setter } => compilation.IsSymbolAccessibleWithin(getter, compilation.Assembly) && compilation.IsSymbolAccessibleWithin(setter, compilation.Assembly),
            IFieldSymbol own => !own.IsReadOnly,
            _ => false,
        };
}
