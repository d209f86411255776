using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>A type that is sent as a value of another type, its surrogate.</summary>
/// <param name="Type">The surrogate.</param>
/// <param name="Unmake">The C# expression of the surrogate, from a variable <c>value</c>.</param>
/// <param name="Make">The C# expression that makes the value of the surrogate, for which <c>{0}</c> stands.</param>
/// <param name="Check">The C# condition under which the surrogate is such a value; <c>null</c> if each is.</param>
/// <param name="Missing">For a class whose surrogate must not be empty, the C# expression of the value of a field that the sender did not send and that is never null.</param>
internal sealed record Surrogate(ITypeSymbol Type, string Unmake, string Make, string? Check = null, string? Missing = null)
{
    private const int MaxItems = 21; // of TupleExtensions

    /// <summary>Returns the surrogate of a type of the framework; <c>null</c> for all other types.</summary>
    public static Surrogate? Find(ITypeSymbol type, string name, Compilation compilation)
    {
        if (type is not INamedTypeSymbol named)
            return null;
        if (named.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr)
            return Native(named.SpecialType == SpecialType.System_IntPtr);
        switch (named.OriginalDefinition.ToDisplayString())
        {
            case "System.Collections.Generic.KeyValuePair<TKey, TValue>":
                return new(Tuple(("Key", named.TypeArguments[0]), ("Value", named.TypeArguments[1])), "(value.Key, value.Value)", $"new {name}({{0}}.Item1, {{0}}.Item2)");
            case "System.ValueTuple<T1>":
                return new(named.TypeArguments[0], "value.Item1", $"new {name}({{0}})");
            case "System.Numerics.BigInteger":
                return new(Array(SpecialType.System_Byte), "value.ToByteArray()", $"new {name}({{0}})");
            case "System.Numerics.Complex":
                return Numbers(SpecialType.System_Double, "Real", "Imaginary");
            case "System.Text.Rune":
                return new(Type(SpecialType.System_Int32), "value.Value", $"new {name}({{0}})", $"{name}.IsValid({{0}})");
            case "System.Index":
                return new(Type(SpecialType.System_Int32), "value.IsFromEnd ? ~value.Value : value.Value", $"new {name}({{0}} < 0 ? ~{{0}} : {{0}}, {{0}} < 0)");
            case "System.Range":
                var index = compilation.GetTypeByMetadataName("System.Index");
                return index is null ? null : new(Tuple(("Start", index), ("End", index)), "(value.Start, value.End)", $"new {name}({{0}}.Item1, {{0}}.Item2)");
            case "System.Drawing.Color":
                return new(Type(SpecialType.System_Int32), "value.ToArgb()", $"{name}.FromArgb({{0}})");
            case "System.Drawing.Point":
                return Numbers(SpecialType.System_Int32, "X", "Y");
            case "System.Drawing.PointF":
                return Numbers(SpecialType.System_Single, "X", "Y");
            case "System.Drawing.Size":
                return Numbers(SpecialType.System_Int32, "Width", "Height");
            case "System.Drawing.SizeF":
                return Numbers(SpecialType.System_Single, "Width", "Height");
            case "System.Drawing.Rectangle":
                return Numbers(SpecialType.System_Int32, "X", "Y", "Width", "Height");
            case "System.Drawing.RectangleF":
                return Numbers(SpecialType.System_Single, "X", "Y", "Width", "Height");
            case "System.Collections.BitArray":
                return new(Array(SpecialType.System_Boolean), "global::System.Linq.Enumerable.ToArray(global::System.Linq.Enumerable.Cast<bool>(value))", $"new {name}({{0}})");
            case "System.Text.StringBuilder":
                return new(Type(SpecialType.System_String).WithNullableAnnotation(NullableAnnotation.NotAnnotated), "value.ToString()", $"new {name}({{0}})", Missing: $"new {name}()");
            case "System.Collections.Generic.PriorityQueue<TElement, TPriority>" when Wrappers.IsOrdered(named.TypeArguments[1]):
                return new(ArrayOf(Tuple(("Element", named.TypeArguments[0]), ("Priority", named.TypeArguments[1]))), "global::System.Linq.Enumerable.ToArray(value.UnorderedItems)", $"new {name}({{0}})");
            case "System.Net.IPEndPoint":
                var address = compilation.GetTypeByMetadataName("System.Net.IPAddress")?.WithNullableAnnotation(NullableAnnotation.NotAnnotated);
                return address is null ? null : new(Tuple(("Address", address), ("Port", Type(SpecialType.System_UInt16))), "(value.Address, (ushort)value.Port)", $"new {name}({{0}}.Item1, {{0}}.Item2)", Missing: $"new {name}(0L, 0)");
            case var definition when definition.StartsWith("System.Tuple<", StringComparison.Ordinal):
                return ItemsOf(named) is not { } items || compilation.GetTypeByMetadataName("System.ValueTuple`1") is not { } single
                    ? null
                    : new(items.Count == 1 ? single.Construct(ImmutableArray.Create(items[0]), ImmutableArray.Create(items[0].NullableAnnotation)) : Tuple([.. items.Select(static (item, i) => ($"Item{i + 1}", item))]), "global::System.TupleExtensions.ToValueTuple(value)", "global::System.TupleExtensions.ToTuple({0})");
            case "System.Net.IPAddress":
                return new(Array(SpecialType.System_Byte), "value.GetAddressBytes()", $"new {name}({{0}})", "({0}.Length == 4 || {0}.Length == 16)", $"{name}.Any");
            default:
                return null;
        }

        ITypeSymbol Type(SpecialType one) => compilation.GetSpecialType(one);

        ITypeSymbol Array(SpecialType one) => ArrayOf(Type(one));

        ITypeSymbol ArrayOf(ITypeSymbol one) => compilation.CreateArrayTypeSymbol(one).WithNullableAnnotation(NullableAnnotation.NotAnnotated);

        Surrogate Numbers(SpecialType one, params string[] members) => new(
            Tuple([.. members.Select(member => (member, Type(one)))]),
            $"({string.Join(", ", members.Select(static member => $"value.{member}"))})",
            $"new {name}({string.Join(", ", members.Select(static (_, i) => $"{{0}}.Item{i + 1}"))})");

        // A process of 32 bits refuses a number that it has no room for.
        Surrogate Native(bool isSigned) => isSigned
            ? new(Type(SpecialType.System_Int64), "(long)value", "new global::System.IntPtr({0})", "(global::System.IntPtr.Size == 8 || {0} == unchecked((int){0}))")
            : new(Type(SpecialType.System_UInt64), "(ulong)value", "new global::System.UIntPtr({0})", "(global::System.IntPtr.Size == 8 || {0} == unchecked((uint){0}))");

        ITypeSymbol Tuple(params (string Name, ITypeSymbol Type)[] items) => compilation.CreateTupleTypeSymbol(
            items.Select(static item => item.Type).ToImmutableArray(),
            items.Select(static item => (string?)item.Name).ToImmutableArray(),
            elementNullableAnnotations: items.Select(static item => item.Type.NullableAnnotation).ToImmutableArray());
    }

    /// <summary>The types of the items of a <c>Tuple</c>, whose eighth argument is another one; <c>null</c> for other arguments, and for more items than the framework converts.</summary>
    private static List<ITypeSymbol>? ItemsOf(INamedTypeSymbol tuple)
    {
        var items = new List<ITypeSymbol>();
        while (true)
        {
            items.AddRange(tuple.TypeArguments.Take(7));
            if (tuple.TypeArguments.Length < 8)
                return items.Count > MaxItems ? null : items;
            if (tuple.TypeArguments[7] is not INamedTypeSymbol { Name: "Tuple" } rest || rest.ContainingNamespace.ToDisplayString() != "System")
                return null;
            tuple = rest;
        }
    }
}
