using System.Linq;
using Reloaded.Messaging.Generators.Emitting;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Schemas;

/// <summary>A contract as the schema describes it.</summary>
/// <param name="Id">The id on the wire.</param>
/// <param name="Name">The full name of the type, with dots.</param>
/// <param name="Kind"><c>message</c>, <c>tolerant</c> or <c>union</c>.</param>
/// <param name="IsStruct">Whether the type is a struct, and so never null.</param>
/// <param name="Version">The contract's version.</param>
/// <param name="Compressor">The full name of the compressor's type; <see langword="null"/> for no compressor.</param>
/// <param name="CompressorName">The name of the compressor's format; <see langword="null"/> if the build does not know the format, and for no compressor.</param>
/// <param name="Layout">The layout, in which a number after the sign @ is the id of a message; <see langword="null"/> in a schema of format 1.</param>
/// <param name="Fields">The fields in the order of the payload, or the types of a union in the order of tags.</param>
internal sealed record SchemaContract(long Id, string Name, string Kind, bool IsStruct, long Version, string? Compressor, string? CompressorName, string? Layout, IReadOnlyList<SchemaField> Fields)
{
    /// <summary>The message, for the parts that are written and not compared; <see langword="null"/> for a contract of the committed schema.</summary>
    public MessageModel? Model { get; private init; }

    public const string Message = "message";
    public const string Tolerant = "tolerant";
    public const string Union = "union";

    /// <summary>Describes a message of this assembly.</summary>
    public static SchemaContract Of(MessageModel message) => new(
        message.Id,
        message.Name.IndexOf('<') < 0 ? message.DisplayName : GenericNames.InSchema(message.Name),
        message.IsUnion ? Union : message.IsVersionTolerant ? Tolerant : Message,
        message.IsValueType,
        message.Version,
        message.Compressor is null ? null : Names.Display(message.Compressor),
        message.Use.CompressorName,
        Shape.Layout(message, static (_, code) => code.Substring(1)),
        message.IsUnion ? CasesOf(message) : FieldsOf(message))
    {
        Model = message,
    };

    private static List<SchemaField> CasesOf(MessageModel union) => union.Cases.OrderBy(static one => one.Tag)
        .Zip(Shape.Fields(union), static (one, shape) => new SchemaField(one.Tag, GenericNames.InSchema(one.Name), one.Code, one.Code, null, shape, GenericNames.InSchema(one.Name)))
        .ToList();

    private static List<SchemaField> FieldsOf(MessageModel message) => message.Fields
        .Zip(Shape.Fields(message), (field, shape) => new SchemaField(field.Number, field.Name, TextOf(field.Type), field.Type.Code, field.JsonDefault, shape, DeclaredType.Of(field.Type), field.Notes) { IsComputed = field.IsComputed || (field.JsonDefault is null && IsConvertedIfMissing(field.Type)) })
        .ToList();

    /// <summary>Returns whether only the program knows the surrogate of a missing value, because that value is neither null nor empty.</summary>
    private static bool IsConvertedIfMissing(WireType type) => !type.MayBeNull && type.Kind switch
    {
        WireKind.Tuple => type.Items!.Any(IsConvertedIfMissing),
        WireKind.Wrapped when type.IsReference => type.Wrapper!.Converter is not null || type.Element!.Kind == WireKind.Nullable || (type.Wrapper.Missing is not null && type.Element.Kind != WireKind.String),
        WireKind.Wrapped => type.Wrapper!.Converter is not null || (!type.IsCollection && IsConvertedIfMissing(type.Element!)),
        _ => false,
    };

    /// <summary>Writes a type's code with a question mark after each reference that may be null.</summary>
    private static string TextOf(WireType type)
    {
        var text = type.Kind switch
        {
            WireKind.Nullable => "?" + TextOf(type.Element!),
            WireKind.Tuple => $"({string.Join(":", type.Items!.Select(TextOf))})",
            WireKind.Dictionary => $"{{{TextOf(type.Key!)}:{TextOf(type.Element!)}}}",
            WireKind.Text or WireKind.Message => type.Code,
            WireKind.Wrapped => TextOf(type.IsReference ? type.Element! with { MayBeNull = false } : type.Element!),
            _ when type.Element is { } item => $"[{TextOf(item)}]",
            _ => type.Code,
        };
        return type is { IsReference: true, MayBeNull: true } and not { Kind: WireKind.Wrapped, Element.Kind: WireKind.Nullable } ? text + "?" : text;
    }
}

/// <summary>A field of a contract, or a type of a union.</summary>
/// <param name="Number">The field's number, or the tag of a union's type.</param>
/// <param name="Name">The member's name, or the full name of a union's type.</param>
/// <param name="Type">The code, with a question mark after each reference that may be null.</param>
/// <param name="Code">The code, as shapes contain it.</param>
/// <param name="Default">The value of a missing field as JSON; <see langword="null"/> for the default of the type.</param>
/// <param name="Shape">The field's entry in the shape.</param>
/// <param name="Declared">The type with the kinds of lists, and with the names of messages, enums and structs.</param>
/// <param name="Notes">The documentation; <see langword="null"/> for a type of a union.</param>
internal sealed record SchemaField(long Number, string Name, string Type, string Code, string? Default, ulong Shape, string Declared, Notes? Notes = null)
{
    /// <summary>Whether code of the program computes the value of a missing field.</summary>
    public bool IsComputed { get; init; }
}
