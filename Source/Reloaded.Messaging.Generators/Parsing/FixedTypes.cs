using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The types that have a fixed size on the wire and for which all byte values are valid.</summary>
internal static class FixedTypes
{
    /// <returns>The size in bytes; 0 for all other types.</returns>
    public static int SizeOf(ITypeSymbol type, out string code)
    {
        if (type is INamedTypeSymbol { EnumUnderlyingType: { } underlying })
            return SizeOf(underlying, out code);

        (var size, code) = type.SpecialType switch
        {
            SpecialType.System_SByte => (1, "i1"),
            SpecialType.System_Byte => (1, "u1"),
            SpecialType.System_Int16 => (2, "i2"),
            SpecialType.System_UInt16 => (2, "u2"),
            SpecialType.System_Char => (2, "c2"),
            SpecialType.System_Int32 => (4, "i4"),
            SpecialType.System_UInt32 => (4, "u4"),
            SpecialType.System_Int64 => (8, "i8"),
            SpecialType.System_UInt64 => (8, "u8"),
            SpecialType.System_Single => (4, "f4"),
            SpecialType.System_Double => (8, "f8"),
            _ => type.ToDisplayString() switch
            {
                "System.Guid" => (16, "g"),
                "System.TimeSpan" => (8, "ts"),
                "System.Half" => (2, "f2"),
                _ => (0, ""),
            },
        };
        return size;
    }

    /// <summary>Returns the code of an enum with its members, such as <c>i4&lt;Red=0,Green=1&gt;</c>; <c>null</c> for all other types.</summary>
    public static string? LayoutOf(ITypeSymbol type)
    {
        if (type is not INamedTypeSymbol { EnumUnderlyingType: { } underlying })
            return null;
        SizeOf(underlying, out var code);
        var members = type.GetMembers().OfType<IFieldSymbol>().Where(static field => field.HasConstantValue);
        return $"{code}<{string.Join(",", members.Select(static member => $"{member.Name}={Convert.ToString(member.ConstantValue, CultureInfo.InvariantCulture)}"))}>";
    }
}

/// <summary>The layout of a struct that is sent as its bytes: its size and the end of each field. Otherwise, the reason why the struct cannot be sent so.</summary>
/// <remarks>The rules are those of the core, which checks such structs at run time. This class checks them at compile time.</remarks>
internal sealed class BlittableStruct
{
    private const int LargestAlignment = 8;
    private const int MaxNesting = 16;

    private readonly List<int> _ends = [];
    private readonly List<string> _codes = [];
    private readonly List<string> _layouts = [];
    private readonly Compilation _compilation;
    private readonly int _nesting;
    private int _end;
    private int _alignment = 1;

    private BlittableStruct(Compilation compilation, int nesting) => (_compilation, _nesting) = (compilation, nesting);

    public int Size { get; private set; }

    public IReadOnlyList<int> Ends => _ends;

    /// <summary>The concatenated codes of the fields.</summary>
    public string Code => string.Concat(_codes);

    /// <summary>The names and layouts of the fields.</summary>
    public string Layout => string.Join(",", _layouts);

    /// <returns>The layout; or <c>null</c> and the reason if the bytes differ between processes or if some byte values are not valid.</returns>
    public static BlittableStruct? TryRead(ITypeSymbol type, Compilation compilation, out string? reason) => TryRead(type, compilation, 0, out reason);

    /// <summary>The fields of a struct, including the backing fields of properties.</summary>
    public static IEnumerable<IFieldSymbol> Fields(ITypeSymbol type) => type.GetMembers().OfType<IFieldSymbol>().Where(static field => !field.IsStatic);

    private static BlittableStruct? TryRead(ITypeSymbol type, Compilation compilation, int nesting, out string? reason)
    {
        var layout = new BlittableStruct(compilation, nesting);
        reason = layout.Read(type);
        return reason is null ? layout : null;
    }

    private string? Read(ITypeSymbol type)
    {
        // The compiler reports a struct that contains itself. The analyzer can still see such a struct during editing.
        if (_nesting > MaxNesting)
            return "nests structs without end";
        if (type is not INamedTypeSymbol { TypeKind: TypeKind.Struct, IsUnmanagedType: true } named || type.SpecialType != SpecialType.None || type.IsRefLikeType)
            return "is not a struct of numbers";

        var layout = StructLayout.Of(named, _compilation);
        if (!layout.IsSequential)
            return "does not have the default sequential layout";
        if (Names.Has(type, "System.Runtime.CompilerServices.InlineArrayAttribute"))
            return "is an inline array; use an array or a list";

        foreach (var field in Fields(type))
        {
            if (field.Name.Length == 0)
                return "has a field without a name";
            if (field.IsFixedSizeBuffer)
                return $"has the buffer '{field.Name}' of a fixed size; declare an array or a list, and mark the struct [Message]";
            if (field.Name.StartsWith("_dummy", StringComparison.Ordinal) && type.DeclaringSyntaxReferences.IsEmpty)
                return "is a struct of a library that hides its fields from the compiler";
            if (Add(field, layout.Pack > 0 ? layout.Pack : LargestAlignment) is { } reason)
                return reason;
        }

        if (_end == 0)
            return "has no fields";
        Size = (_end + _alignment - 1) / _alignment * _alignment;
        return Size == _end ? null : "has padding after its last field";
    }

    private string? Add(IFieldSymbol field, int pack)
    {
        var size = FixedTypes.SizeOf(field.Type, out var code);
        var fieldLayout = FixedTypes.LayoutOf(field.Type) ?? code;
        var alignment = size == 16 ? 4 : size; // the 16-byte type is Guid, which starts with an int
        if (size == 0)
        {
            if (TryRead(field.Type, _compilation, _nesting + 1, out _) is not { } inner)
                return $"has the field '{field.Name}', which is not a fixed-width number";
            (size, alignment, code, fieldLayout) = (inner.Size, inner._alignment, inner.Code, $"({inner.Layout})");
        }

        alignment = Math.Min(alignment, pack);
        if (_end % alignment != 0)
            return $"has padding before '{field.Name}'";
        _end += size;
        _alignment = Math.Max(_alignment, alignment);
        _ends.Add(_end);
        _codes.Add(code);
        _layouts.Add($"{NameOf(field)} {fieldLayout}");
        return null;
    }

    /// <summary>The name of the property or parameter for which the compiler wrote a field; otherwise, the name of the field.</summary>
    private static string NameOf(IFieldSymbol field) => field.Name.IndexOf('>') is > 0 and var end && field.Name[0] == '<' ? field.Name.Substring(1, end - 1) : field.Name;
}

/// <summary>The layout of a struct's fields, as declared.</summary>
/// <param name="IsSequential">Whether the fields are in the order of their declaration and no explicit size is set.</param>
/// <param name="Pack">The largest alignment, in bytes; 0 if it is not declared.</param>
internal readonly record struct StructLayout(bool IsSequential, int Pack)
{
    private const string Attribute = "System.Runtime.InteropServices.StructLayoutAttribute";

    public static StructLayout Of(INamedTypeSymbol type, Compilation compilation)
    {
        if (Names.FindAttribute(type, Attribute) is { } attribute)
            return new StructLayout(Names.Argument(attribute, 0) is 0 && Names.Argument(attribute, "Size", 0) == 0, Names.Argument(attribute, "Pack", 0));

        // In a compiled assembly, the layout is not stored as an attribute but in the metadata row of the type.
        return type.DeclaringSyntaxReferences.Length == 0 ? OfMetadata(type, compilation) : new StructLayout(true, 0);
    }

    private static StructLayout OfMetadata(INamedTypeSymbol type, Compilation compilation)
    {
        var reference = compilation.GetMetadataReference(type.ContainingAssembly) as PortableExecutableReference;
        if (reference?.GetMetadata() is not AssemblyMetadata assembly || assembly.GetModules() is not { Length: 1 } modules)
            return new StructLayout(false, 0);

        var reader = modules[0].GetMetadataReader();
        var row = reader.GetTypeDefinition((TypeDefinitionHandle)MetadataTokens.EntityHandle(type.OriginalDefinition.MetadataToken));
        var layout = row.GetLayout();
        var isSequential = (row.Attributes & TypeAttributes.LayoutMask) == TypeAttributes.SequentialLayout;

        // The compiler gives an empty struct the size 1. Such a struct is refused later because it has no fields.
        return new StructLayout(isSequential && layout.Size == 0, layout.PackingSize);
    }
}
