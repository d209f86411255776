using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The collections that are sent like an array, a list, a set or a dictionary.</summary>
internal static class Wrappers
{
    private const string Generic = "System.Collections.Generic";
    private const string Objects = "System.Collections.ObjectModel";
    private const string Immutable = "System.Collections.Immutable";
    private const string Frozen = "System.Collections.Frozen";
    private const string Marshal = "System.Runtime.InteropServices.ImmutableCollectionsMarshal";

    private static readonly string[] s_comparers = ["KeyComparer", "Comparer"];

    /// <summary>Returns the form of a collection; or <c>null</c> and the reason if its keys cannot be sent.</summary>
    /// <param name="type">The generic type.</param>
    /// <param name="kind">The kind of the base.</param>
    /// <param name="name">The C# type.</param>
    /// <param name="mayBeNull">Whether null is a valid value.</param>
    /// <param name="items">The form of the items, or of the values of a dictionary.</param>
    /// <param name="keys">The form of a dictionary's keys; <c>null</c> for other collections.</param>
    /// <param name="keyHash">For a set or a dictionary, the code of the hash code of a key.</param>
    /// <param name="reason">The reason.</param>
    public static WireType? OfCollection(INamedTypeSymbol type, WireKind kind, string name, bool mayBeNull, WireType items, WireType? keys, string? keyHash, ref string reason)
    {
        var definition = type.OriginalDefinition.ToDisplayString();
        var list = new WireType(WireKind.List, $"global::{Generic}.List<{items.Name}>", $"[{items.Code}]", mayBeNull, true, 1, WireTypes.Reference, Element: items);
        var array = list with { Kind = WireKind.Array, Name = $"{items.Name}[]" };
        var inner = kind switch
        {
            WireKind.Array => array,
            WireKind.List => list,
            WireKind.HashSet => list with { Kind = kind, Name = $"global::{Generic}.HashSet<{items.Name}>", KeyHash = keyHash },
            _ => list with { Kind = kind, Name = $"global::{Generic}.Dictionary<{keys!.Name}, {items.Name}>", Code = $"{{{keys.Code}:{items.Code}}}", Key = keys, KeyHash = keyHash },
        };
        var isKeyed = kind is WireKind.HashSet or WireKind.Dictionary;
        var comparer = isKeyed ? s_comparers.FirstOrDefault(one => type.GetMembers(one).OfType<IPropertySymbol>().Any(static property => property.DeclaredAccessibility == Accessibility.Public)) : null;
        var code = Code(definition, name, items.Name) with { Comparer = comparer is null ? null : $"value.{comparer}" };
        if (definition.StartsWith($"{Generic}.I", System.StringComparison.Ordinal))
            code = code with { Known = new EquatableArray<WireType>((isKeyed ? new[] { inner } : [array, list]).Select(static one => one with { MayBeNull = true })) };
        if (IsSorted(definition))
        {
            if (!IsOrdered(type.TypeArguments[0]))
            {
                reason = "the keys of a sorted collection are numbers, strings, enums, times, Guid, Version or such values in a tuple without strings, because an order of their own may take two keys for equal; use a set or a dictionary that is not sorted";
                return null;
            }

            var order = type.TypeArguments[0].SpecialType == SpecialType.System_String ? "global::System.StringComparer.Ordinal" : $"global::{Generic}.Comparer<{(keys ?? items).Name}>.Default";
            code = code with { IsSorted = true, Make = code.Make.Replace("{1}", order) };
        }

        return new WireType(WireKind.Wrapped, name, inner.Code, mayBeNull, type.IsReferenceType, 1, type.IsReferenceType ? WireTypes.Reference : "16", Element: inner, HoldsReferences: type.IsValueType, Wrapper: code);
    }

    /// <summary>The kind of the base of a collection; <c>null</c> for all other types.</summary>
    public static WireKind? KindOf(string definition) => definition switch
    {
        $"{Generic}.IList<T>" or $"{Generic}.ICollection<T>" or $"{Objects}.Collection<T>" => WireKind.List,
        $"{Generic}.IEnumerable<T>" or $"{Generic}.IReadOnlyCollection<T>" or $"{Generic}.IReadOnlyList<T>" => WireKind.Array,
        $"{Generic}.Queue<T>" or $"{Generic}.Stack<T>" or $"{Generic}.LinkedList<T>" or "System.Collections.Concurrent.ConcurrentStack<T>" => WireKind.Array,
        $"{Objects}.ObservableCollection<T>" or $"{Objects}.ReadOnlyObservableCollection<T>" or $"{Objects}.ReadOnlyCollection<T>" => WireKind.Array,
        $"{Immutable}.ImmutableArray<T>" or $"{Immutable}.ImmutableList<T>" or $"{Immutable}.IImmutableList<T>" => WireKind.Array,
        $"{Immutable}.ImmutableQueue<T>" or $"{Immutable}.IImmutableQueue<T>" or $"{Immutable}.ImmutableStack<T>" or $"{Immutable}.IImmutableStack<T>" => WireKind.Array,
        "System.ReadOnlyMemory<T>" or "System.Memory<T>" or "System.ArraySegment<T>" => WireKind.Array,
        $"{Generic}.ISet<T>" or $"{Generic}.IReadOnlySet<T>" or $"{Generic}.SortedSet<T>" => WireKind.HashSet,
        $"{Immutable}.ImmutableHashSet<T>" or $"{Immutable}.IImmutableSet<T>" or $"{Immutable}.ImmutableSortedSet<T>" or $"{Frozen}.FrozenSet<T>" => WireKind.HashSet,
        $"{Generic}.IDictionary<TKey, TValue>" or $"{Generic}.IReadOnlyDictionary<TKey, TValue>" or $"{Objects}.ReadOnlyDictionary<TKey, TValue>" => WireKind.Dictionary,
        $"{Generic}.SortedDictionary<TKey, TValue>" or $"{Generic}.SortedList<TKey, TValue>" or $"{Generic}.OrderedDictionary<TKey, TValue>" or $"{Frozen}.FrozenDictionary<TKey, TValue>" => WireKind.Dictionary,
        $"{Immutable}.ImmutableDictionary<TKey, TValue>" or $"{Immutable}.IImmutableDictionary<TKey, TValue>" or $"{Immutable}.ImmutableSortedDictionary<TKey, TValue>" => WireKind.Dictionary,
        _ => null,
    };

    /// <summary>Returns whether a collection needs a version of System.Collections.Immutable that the compilation lacks.</summary>
    public static bool IsTooOld(string definition, Compilation compilation) =>
        definition == $"{Immutable}.ImmutableArray<T>" && compilation.GetTypeByMetadataName(Marshal) is null;

    private static WrapperCode Code(string definition, string name, string item) => definition switch
    {
        $"{Generic}.IEnumerable<T>" => new("{0}", $"(value as global::{Generic}.IReadOnlyCollection<{item}> ?? new global::{Generic}.List<{item}>(value))"),
        $"{Objects}.ReadOnlyObservableCollection<T>" => new($"new {name}(new global::{Objects}.ObservableCollection<{item}>({{0}}))"),
        $"{Immutable}.ImmutableArray<T>" => new($"global::{Marshal}.AsImmutableArray({{0}})", "value.AsSpan()", IsSpan: true, IsUnset: ".IsDefault", ListName: "immutable"),
        "System.ArraySegment<T>" => new("new global::System.ArraySegment<" + item + ">({0})", $"new global::System.ReadOnlySpan<{item}>(value.Array, value.Offset, value.Count)", IsSpan: true, IsUnset: ".Array is null", ListName: "memory"),
        "System.ReadOnlyMemory<T>" or "System.Memory<T>" => new("{0}", "value.Span", IsSpan: true, ListName: "memory"),
        "System.Collections.Concurrent.ConcurrentStack<T>" => new($"new {name}({{0}})", $"new global::{Generic}.List<{item}>(value)", IsReversed: true),
        $"{Generic}.Stack<T>" => new($"new {name}({{0}})", IsReversed: true),
        $"{Immutable}.ImmutableQueue<T>" or $"{Immutable}.IImmutableQueue<T>" => new($"global::{Immutable}.ImmutableQueue.CreateRange({{0}})", $"new global::{Generic}.List<{item}>(value)"),
        $"{Immutable}.ImmutableStack<T>" or $"{Immutable}.IImmutableStack<T>" => new($"global::{Immutable}.ImmutableStack.CreateRange({{0}})", $"new global::{Generic}.List<{item}>(value)", IsReversed: true),
        $"{Immutable}.ImmutableList<T>" or $"{Immutable}.IImmutableList<T>" => new($"global::{Immutable}.ImmutableList.CreateRange({{0}})"),
        $"{Immutable}.ImmutableHashSet<T>" or $"{Immutable}.IImmutableSet<T>" => new($"global::{Immutable}.ImmutableHashSet.CreateRange({{0}}.Comparer, {{0}})"),
        $"{Immutable}.ImmutableDictionary<TKey, TValue>" or $"{Immutable}.IImmutableDictionary<TKey, TValue>" => new($"global::{Immutable}.ImmutableDictionary.CreateRange({{0}}.Comparer, {{0}})"),
        $"{Immutable}.ImmutableSortedSet<T>" => new($"global::{Immutable}.ImmutableSortedSet.CreateRange({{1}}, {{0}})"),
        $"{Immutable}.ImmutableSortedDictionary<TKey, TValue>" => new($"global::{Immutable}.ImmutableSortedDictionary.CreateRange({{1}}, {{0}})"),
        $"{Frozen}.FrozenSet<T>" => new($"global::{Frozen}.FrozenSet.ToFrozenSet({{0}}, {{0}}.Comparer)"),
        $"{Frozen}.FrozenDictionary<TKey, TValue>" => new($"global::{Frozen}.FrozenDictionary.ToFrozenDictionary({{0}}, {{0}}.Comparer)"),
        $"{Generic}.SortedSet<T>" or $"{Generic}.SortedDictionary<TKey, TValue>" or $"{Generic}.SortedList<TKey, TValue>" => new($"new {name}({{0}}, {{1}})"),
        _ => new(definition.StartsWith($"{Generic}.I", System.StringComparison.Ordinal) ? "{0}" : $"new {name}({{0}})"),
    };

    private static bool IsSorted(string definition) => definition.Contains(".Sorted") || definition.Contains(".ImmutableSorted");

    /// <summary>Returns whether two values are equal if neither comes before the other. Strings are compared by their units, so a tuple, which compares them by the culture, has none.</summary>
    public static bool IsOrdered(ITypeSymbol type, bool isInside = false) => type switch
    {
        INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable => IsOrdered(nullable.TypeArguments[0], true),
        INamedTypeSymbol { IsTupleType: true } tuple => tuple.TupleElements.All(static item => IsOrdered(item.Type, true)),
        { SpecialType: SpecialType.System_String } => !isInside,
        { SpecialType: SpecialType.System_Boolean or SpecialType.System_Decimal or SpecialType.System_DateTime } => true,
        _ => FixedTypes.SizeOf(type, out _) > 0 || type.ToDisplayString() is "System.DateTimeOffset" or "System.Version" || PartsCode.Find(type.ToDisplayString()) is not null,
    };
}
