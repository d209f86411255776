using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

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
            if (HasConverter(field))
                return $"has the field '{NameOf(field)}' with a converter; mark the struct [Message]";
            if (Add(field, layout.Pack > 0 ? layout.Pack : LargestAlignment) is { } reason)
                return reason;
        }

        if (_end == 0)
            return "has no fields";
        Size = (_end + _alignment - 1) / _alignment * _alignment;
        return Size == _end ? null : "has padding after its last field";
    }

    private bool HasConverter(IFieldSymbol field) =>
        Converters.AreOn(field) || CompilationCache.Of(_compilation).Converters.Find(field.Type) is not null;

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
