using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>What applies to a type: the converters, the number of collections around it, and whether the text of an error already names it.</summary>
internal readonly record struct ReadScope(Converters Converters, int Nesting, bool IsNamed)
{
    public ReadScope Inside => new(Converters, Nesting + 1, false);
}

/// <summary>Converts the type of a member to its form on the wire.</summary>
internal static class WireTypes
{
    /// <summary>The maximum nesting of collections. A deeper structure should be declared as a message.</summary>
    private const int MaxNesting = 8;

    private const int MaxRank = 4;

    /// <summary>The text between a part of a type and the reason why the part cannot be sent.</summary>
    private const string Refusal = " cannot be sent: ";

    private static readonly string s_tooDeep = $"it nests more than {MaxNesting} collections; declare a message with the inner ones";

    /// <summary>The cost of a reference in the budget of a payload.</summary>
    public const string Reference = "8";

    /// <param name="type">The type.</param>
    /// <param name="compilation">The compilation.</param>
    /// <param name="reason">The reason.</param>
    /// <param name="converters">The converters of the member; <c>null</c> if it has no attributes.</param>
    /// <returns>The form; or <c>null</c> and the reason if the type cannot be sent.</returns>
    public static WireType? TryRead(ITypeSymbol type, Compilation compilation, out string reason, Converters? converters = null)
    {
        var cache = CompilationCache.Of(compilation);
        if (converters is not null && converters != cache.Converters)
            return TryRead(type, compilation, out reason, new ReadScope(converters, 0, true));
        (var form, reason) = cache.Forms.GetOrAdd(type, one => (TryRead(one, compilation, out var why, new ReadScope(cache.Converters, 0, true)), why));
        return form;
    }

    private static WireType? TryRead(ITypeSymbol type, Compilation compilation, out string reason, ReadScope place)
    {
        reason = s_tooDeep;
        if (place.Nesting > MaxNesting)
            return null;
        var form = TryReadType(type, compilation, out reason, place);
        if (form is null && !place.IsNamed && reason != s_tooDeep && reason.IndexOf(Refusal, StringComparison.Ordinal) < 0)
            reason = $"its part {Converter.Show(type)}{Refusal}{reason}"; // the innermost part is the one to change
        return form;
    }

    private static WireType? TryReadType(ITypeSymbol type, Compilation compilation, out string reason, ReadScope place)
    {
        reason = "";
        if (!Visibility.IsGlobal(type, compilation))
        {
            reason = "its assembly is referenced by an extern alias only; add the alias 'global' to the reference";
            return null;
        }

        var name = Names.Qualified(type);
        var mayBeNull = type.IsReferenceType && type.NullableAnnotation != NullableAnnotation.NotAnnotated;
        if (place.Converters.Find(type) is { } converter)
            return ReadConverted(type, name, mayBeNull, converter, compilation, ref reason, place);
        if (FixedTypes.SizeOf(type, out var code) is > 0 and var size)
            return new WireType(WireKind.Fixed, name, code, false, false, size, $"{size}", Layout: FixedTypes.LayoutOf(type), Notes: type.TypeKind == TypeKind.Enum ? NotesReader.OfType(type) : null);
        if (type.SpecialType == SpecialType.System_String)
            return new WireType(WireKind.String, name, "s", mayBeNull, true, 1, Reference);
        if (ReadValue(type, name) is { } value)
            return value;
        if (PartsCode.Find(type.ToDisplayString()) is { } parts)
            return new WireType(WireKind.Parts, name, parts.Code, false, false, parts.Size, $"{parts.Size}");
        if (TextCode.Find(name) is not null)
            return new WireType(WireKind.Text, name, TextCode.Code, mayBeNull, true, 1, Reference, Element: new WireType(WireKind.String, "string", TextCode.Code, mayBeNull, true, 1, Reference));
        if (Surrogate.Find(type, name, compilation) is { } surrogate)
            return ReadSurrogate(type, name, mayBeNull, surrogate, compilation, ref reason, place);
        if (type is IArrayTypeSymbol array)
            return ReadArray(array, name, mayBeNull, compilation, ref reason, place);
        if (type is not INamedTypeSymbol named || type.TypeKind is TypeKind.Error or TypeKind.Delegate or TypeKind.Pointer)
        {
            reason = RefusedTypes.Find(type) ?? "values of this type have no contents to send";
            return null;
        }

        if (named is { IsTupleType: true, TupleElements.Length: > 1 })
            return ReadTuple(named, name, compilation, ref reason, place);
        if (Names.FindAttribute(named, Names.Message) is { } attribute)
            return ReadMessage(named, attribute, name, mayBeNull, compilation, ref reason);
        if (named.IsGenericType)
            return ReadGeneric(named, name, mayBeNull, compilation, ref reason, place);
        return ReadStruct(named, name, compilation, ref reason, place);
    }

    private static WireType? ReadValue(ITypeSymbol type, string name)
    {
        var (method, code, size) = type.SpecialType switch
        {
            SpecialType.System_Boolean => ("Boolean", "b", 1),
            SpecialType.System_Decimal => ("Decimal", "d", 16),
            SpecialType.System_DateTime => ("DateTime", "t", 8),
            _ => type.ToDisplayString() == "System.DateTimeOffset" ? ("DateTimeOffset", "to", 10) : ("", "", 0),
        };
        return size == 0 ? null : new WireType(WireKind.Value, name, code, false, false, size, size == 10 ? "16" : $"{size}", method);
    }

    private static WireType? ReadSurrogate(ITypeSymbol type, string name, bool mayBeNull, Surrogate surrogate, Compilation compilation, ref string reason, ReadScope place)
    {
        if (ReadInner(type, surrogate.Type, mayBeNull, compilation, out reason, place.Inside) is not { } inner)
            return null;
        var holdsReferences = type is INamedTypeSymbol { IsGenericType: true } and { IsReferenceType: false, IsUnmanagedType: false };
        return Replaced(type, name, mayBeNull, inner, holdsReferences, new WrapperCode(surrogate.Make, Unmake: surrogate.Unmake, Check: surrogate.Check, Missing: surrogate.Missing));
    }

    /// <summary>Returns the form of a type that is sent as a value of another type.</summary>
    private static WireType Replaced(ITypeSymbol type, string name, bool mayBeNull, WireType surrogate, bool holdsReferences, WrapperCode wrapper) => new(
        WireKind.Wrapped,
        name,
        surrogate.Code,
        mayBeNull,
        type.IsReferenceType,
        surrogate.MinBytes,
        type.IsReferenceType ? Reference : surrogate.IsReference ? "16" : surrogate.Cost,
        Element: surrogate,
        HoldsReferences: holdsReferences,
        Wrapper: wrapper);

    /// <summary>Reads a surrogate. A class whose surrogate is a value is sent like a nullable value, also where it never is null, because annotations do not change the bytes of a reference.</summary>
    private static WireType? ReadInner(ITypeSymbol type, ITypeSymbol surrogate, bool mayBeNull, Compilation compilation, out string reason, ReadScope place)
    {
        if (type.IsReferenceType && surrogate.IsValueType)
            surrogate = compilation.GetSpecialType(SpecialType.System_Nullable_T).Construct(surrogate);
        var inner = TryRead(surrogate, compilation, out reason, place);
        return type.IsReferenceType && inner is { IsReference: true } ? inner with { MayBeNull = mayBeNull } : inner;
    }

    private static WireType? ReadConverted(ITypeSymbol type, string name, bool mayBeNull, Converter converter, Compilation compilation, ref string reason, ReadScope place)
    {
        if (ReadInner(type, converter.Surrogate.WithNullableAnnotation(NullableAnnotation.NotAnnotated), mayBeNull, compilation, out var why, new ReadScope(place.Converters.Without(converter), place.Nesting + 1, true)) is not { } inner)
        {
            reason = $"its surrogate {Converter.Show(converter.Surrogate)}{Refusal}{why}";
            return null;
        }

        var methods = Names.Qualified(converter.Class);
        return Replaced(type, name, mayBeNull, inner, type is { IsReferenceType: false, IsUnmanagedType: false }, new WrapperCode($"{methods}.{Converter.From}", Unmake: $"{methods}.{Converter.To}(value)", Converter: methods));
    }

    private static WireType? ReadArray(IArrayTypeSymbol array, string name, bool mayBeNull, Compilation compilation, ref string reason, ReadScope place)
    {
        if (!array.IsSZArray)
            return ReadTable(array, name, mayBeNull, compilation, ref reason, place);

        return TryRead(array.ElementType, compilation, out reason, place.Inside) is { } element
            ? new WireType(WireKind.Array, name, $"[{element.Code}]", mayBeNull, true, 1, Reference, Element: element)
            : null;
    }

    /// <summary>Reads an array of several dimensions, which is sent like a nullable tuple of its lengths and an array of its items, row by row.</summary>
    private static WireType? ReadTable(IArrayTypeSymbol array, string name, bool mayBeNull, Compilation compilation, ref string reason, ReadScope place)
    {
        if (array.Rank > MaxRank)
        {
            reason = $"it has {array.Rank} dimensions; an array has at most {MaxRank}, so use an array of arrays";
            return null;
        }

        var length = compilation.GetSpecialType(SpecialType.System_Int32);
        var items = compilation.CreateArrayTypeSymbol(array.ElementType, elementNullableAnnotation: array.ElementNullableAnnotation).WithNullableAnnotation(NullableAnnotation.NotAnnotated);
        var tuple = compilation.CreateTupleTypeSymbol(
            Enumerable.Repeat<ITypeSymbol>(length, array.Rank).Append(items).ToImmutableArray(),
            Enumerable.Range(1, array.Rank).Select(static i => (string?)$"Length{i}").Append("Items").ToImmutableArray(),
            elementNullableAnnotations: Enumerable.Repeat(NullableAnnotation.None, array.Rank).Append(NullableAnnotation.NotAnnotated).ToImmutableArray());
        return ReadInner(array, tuple, mayBeNull, compilation, out reason, place.Inside) is { } inner
            ? new WireType(WireKind.Wrapped, name, inner.Code, mayBeNull, true, 1, Reference, Element: inner, Wrapper: new WrapperCode("", Unmake: "", Rank: array.Rank))
            : null;
    }

    private static WireType? ReadTuple(INamedTypeSymbol type, string name, Compilation compilation, ref string reason, ReadScope place)
    {
        var items = new List<WireType>();
        foreach (var element in type.TupleElements)
        {
            if (TryRead(element.Type, compilation, out reason, place.Inside) is not { } item)
                return null;
            items.Add(item);
        }

        return new WireType(
            WireKind.Tuple,
            name,
            $"({string.Join(":", items.Select(static item => item.Code))})",
            false,
            false,
            items.Sum(static item => item.MinBytes),
            string.Join(" + ", items.Select(static item => item.Cost)),
            Items: new EquatableArray<WireType>(items),
            ItemNames: new EquatableArray<string>(type.TupleElements.Select(static item => item.IsExplicitlyNamedTupleElement ? item.Name : "")));
    }

    private static WireType? ReadGeneric(INamedTypeSymbol type, string name, bool mayBeNull, Compilation compilation, ref string reason, ReadScope place)
    {
        if (type.OriginalDefinition.SpecialType == SpecialType.System_Nullable_T)
        {
            return TryRead(type.TypeArguments[0], compilation, out reason, place.Inside) is { } value
                ? new WireType(WireKind.Nullable, name, "?" + value.Code, false, false, 1, "16", Element: value)
                : null;
        }

        var definition = type.OriginalDefinition.ToDisplayString();
        if (definition == "System.Collections.Generic.Dictionary<TKey, TValue>")
            return ReadDictionary(type, name, mayBeNull, compilation, ref reason, place);
        WireKind? plain = definition switch
        {
            "System.Collections.Generic.List<T>" => WireKind.List,
            "System.Collections.Generic.HashSet<T>" => WireKind.HashSet,
            _ => null,
        };
        if ((plain ?? Wrappers.KindOf(definition)) is not { } kind)
        {
            if (!IsOfFramework(type))
                return ReadStruct(type, name, compilation, ref reason, place);
            reason = RefusedTypes.Find(type) ?? "the supported generic types are Nullable, tuples, KeyValuePair, and most collections of the framework; use a [MessageConverter] for another one";
            return null;
        }

        if (Wrappers.IsTooOld(definition, compilation))
        {
            reason = "immutable arrays need System.Collections.Immutable 8.0 or later";
            return null;
        }

        if (kind == WireKind.Dictionary)
        {
            return ReadDictionary(type, name, mayBeNull, compilation, ref reason, place) is { } pairs
                ? Wrappers.OfCollection(type, kind, name, mayBeNull, pairs.Element!, pairs.Key, pairs.KeyHash, ref reason)
                : null;
        }

        if (TryRead(type.TypeArguments[0], compilation, out reason, place.Inside) is not { } element)
            return null;
        var keyHash = kind == WireKind.HashSet ? KeyHash.Find(type.TypeArguments[0], compilation) : null;
        return plain is null
            ? Wrappers.OfCollection(type, kind, name, mayBeNull, element, null, keyHash, ref reason)
            : new WireType(kind, name, $"[{element.Code}]", mayBeNull, true, 1, Reference, Element: element, KeyHash: keyHash);
    }

    /// <summary>Returns whether a type is in the namespace of the framework. The size of some of its generic structs depends on the processor.</summary>
    private static bool IsOfFramework(INamedTypeSymbol type) => type.ContainingNamespace is { IsGlobalNamespace: false } space && (space.ToDisplayString() + ".").StartsWith("System.", StringComparison.Ordinal);

    private static WireType? ReadDictionary(INamedTypeSymbol type, string name, bool mayBeNull, Compilation compilation, ref string reason, ReadScope place)
    {
        if (TryRead(type.TypeArguments[0], compilation, out reason, place.Inside) is not { } key ||
            TryRead(type.TypeArguments[1], compilation, out reason, place.Inside) is not { } item)
        {
            return null;
        }

        if (key.Kind == WireKind.Nullable)
        {
            reason = "a dictionary key cannot be nullable";
            return null;
        }

        return new WireType(WireKind.Dictionary, name, $"{{{key.Code}:{item.Code}}}", mayBeNull, true, 1, Reference, Element: item, Key: NeverNull(key), KeyHash: KeyHash.Find(type.TypeArguments[0], compilation));
    }

    private static WireType NeverNull(WireType type) =>
        type with { MayBeNull = false, Element = type is { Kind: WireKind.Wrapped, Element: { IsReference: true } inner } ? inner with { MayBeNull = false } : type.Element };

    private static WireType? ReadMessage(
        INamedTypeSymbol type,
        AttributeData attribute,
        string name,
        bool mayBeNull,
        Compilation compilation,
        ref string reason)
    {
        if (type.IsGenericType && GenericMessages.FindObstacle(type, compilation) is { } obstacle)
        {
            reason = obstacle;
            return null;
        }

        // A closed type and a message of this assembly get their serializers now. A message of another assembly must have a serializer there that this assembly can access.
        if (!type.IsGenericType && !SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, compilation.Assembly))
        {
            var serializer = type.ContainingAssembly.GetTypeByMetadataName($"{Names.Generated}.{Names.Serializer(type)}");
            if (serializer is null || !compilation.IsSymbolAccessibleWithin(serializer, compilation.Assembly))
            {
                reason = serializer is null ? "its assembly was compiled without the generator of Reloaded.Messaging" : "its serializer is internal to its assembly";
                return null;
            }
        }

        var code = $"m{MessageIds.Read(type, attribute)}";
        var isPooled = Names.Argument(attribute, "Pooled", false);
        var holdsReferences = type is { IsValueType: true, IsUnmanagedType: false };
        return new WireType(
            WireKind.Message,
            name,
            code,
            mayBeNull,
            type.IsReferenceType,
            1,
            type.IsReferenceType ? Reference : $"{Names.QualifiedSerializer(type)}.Cost",
            Serializer: Names.QualifiedSerializer(type),
            IsPooled: isPooled,
            HoldsReferences: holdsReferences);
    }

    private static WireType? ReadStruct(INamedTypeSymbol type, string name, Compilation compilation, ref string reason, ReadScope place)
    {
        if (type.TypeKind == TypeKind.Struct)
        {
            if (BlittableStruct.TryRead(type, compilation, out var why) is { } layout)
                return new WireType(WireKind.Fixed, name, $"({layout.Code})", false, false, layout.Size, $"{layout.Size}", Layout: $"({layout.Layout})", Notes: NotesReader.OfType(type));
            if (OpenStruct.Find(type, name, compilation) is { } open)
                return ReadSurrogate(type, name, false, open, compilation, ref reason, place);
            reason = why?.IndexOf(';') >= 0 ? $"it {why}" : type.DeclaringSyntaxReferences.IsEmpty ? $"it {why}; use a [MessageConverter], or declare its contents as members" : $"it {why}; mark it [Message] to send it field by field";
            return null;
        }

        reason = RefusedTypes.Find(type) ?? RefusedTypes.Of(type);
        return null;
    }
}
