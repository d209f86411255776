using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A struct that is sent as its own bytes: how large it is, where its fields end, and why it can't be if it can't.</summary>
/// <remarks>The rules are the core's own for such structs, which looks at them at run time; here the compiler does.</remarks>
internal sealed class BlittableStruct
{
    private const int LargestAlignment = 8;
    private const int MaxNesting = 16;

    private readonly List<int> _ends = [];
    private readonly List<string> _codes = [];
    private readonly Compilation _compilation;
    private readonly int _nesting;
    private int _end;
    private int _alignment = 1;

    private BlittableStruct(Compilation compilation, int nesting) => (_compilation, _nesting) = (compilation, nesting);

    public int Size { get; private set; }

    public IReadOnlyList<int> Ends => _ends;

    /// <summary>The codes of its fields, one after the other.</summary>
    public string Code => string.Concat(_codes);

    /// <returns>Null with the reason if its bytes differ between processes, or not all bytes are valid.</returns>
    public static BlittableStruct? TryRead(ITypeSymbol type, Compilation compilation, out string? reason) => TryRead(type, compilation, 0, out reason);

    /// <summary>A struct's fields, of which some may be a property's.</summary>
    public static IEnumerable<IFieldSymbol> Fields(ITypeSymbol type) => type.GetMembers().OfType<IFieldSymbol>().Where(static field => !field.IsStatic);

    private static BlittableStruct? TryRead(ITypeSymbol type, Compilation compilation, int nesting, out string? reason)
    {
        var layout = new BlittableStruct(compilation, nesting);
        reason = layout.Read(type);
        return reason is null ? layout : null;
    }

    private string? Read(ITypeSymbol type)
    {
        // One that holds itself is the compiler's to report, which asks here while it is being typed.
        if (_nesting > MaxNesting)
            return "has structs inside of one another without end";
        if (type is not INamedTypeSymbol { TypeKind: TypeKind.Struct, IsUnmanagedType: true } named || type.SpecialType != SpecialType.None || type.IsRefLikeType)
            return "is not a struct of numbers";

        var layout = StructLayout.Of(named, _compilation);
        if (!layout.IsSequential)
            return "has a layout of its own";
        if (Names.Has(type, "System.Runtime.CompilerServices.InlineArrayAttribute"))
            return "is an inline array";

        foreach (var field in Fields(type))
        {
            if (field.Name.StartsWith("_dummy", StringComparison.Ordinal) || field.IsFixedSizeBuffer)
                return $"has the field '{field.Name}', whose layout the compiler doesn't know";
            if (Add(field, layout.Pack > 0 ? layout.Pack : LargestAlignment) is { } reason)
                return reason;
        }

        if (_end == 0)
            return "has no fields";
        Size = (_end + _alignment - 1) / _alignment * _alignment;
        return Size == _end ? null : "has padding behind its last field";
    }

    private string? Add(IFieldSymbol field, int pack)
    {
        var size = FixedTypes.SizeOf(field.Type, out var code);
        var alignment = size == 16 ? 4 : size; // 16 bytes: a Guid, which starts with an int
        if (size == 0)
        {
            if (TryRead(field.Type, _compilation, _nesting + 1, out _) is not { } inner)
                return $"has the field '{field.Name}', which is not a fixed-width number";
            (size, alignment, code) = (inner.Size, inner._alignment, inner.Code);
        }

        alignment = Math.Min(alignment, pack);
        if (_end % alignment != 0)
            return $"has padding before '{field.Name}'";
        _end += size;
        _alignment = Math.Max(_alignment, alignment);
        _ends.Add(_end);
        _codes.Add(code);
        return null;
    }
}
