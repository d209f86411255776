using System.Globalization;
using System.Linq;
using System.Numerics;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tool;

/// <summary>Checks what exports write as code: names and defaults. A schema may come from anyone, and code of it must not get into a program.</summary>
internal static class SchemaCheck
{
    private const int MaxShown = 80;

    private static readonly Regex s_layout = new(@"\A(?:[^@<>\n]|@[0-9]+(?![A-Za-z0-9])|<[^@<>\n]*>)*\z");

    /// <summary>Reads the full name of a contract or a type. The sign before a keyword of C# is left out.</summary>
    /// <param name="place">The place, for the exception.</param>
    /// <param name="json">The object with the name.</param>
    /// <exception cref="FormatException">Thrown when the text is not a name.</exception>
    public static string FullName(string place, JsonElement json)
    {
        var name = json.GetProperty("name").GetString() ?? "";
        return SchemaName.IsFull(name) ? name.Replace("@", "", StringComparison.Ordinal) : throw InvalidName(place, name);
    }

    /// <summary>Reads the name of a field or of a member of an enum.</summary>
    /// <inheritdoc cref="FullName"/>
    public static string Identifier(string place, JsonElement json) => Identifier(place, json.GetProperty("name").GetString() ?? "");

    /// <summary>Returns a name that is an identifier.</summary>
    /// <exception cref="FormatException">Thrown when the text is not an identifier.</exception>
    public static string Identifier(string place, string name) => SchemaName.IsIdentifier(name) ? name : throw InvalidName(place, name);

    /// <summary>Reads the value of a missing field, which has the form that the build writes for its type.</summary>
    /// <exception cref="FormatException">Thrown when the value has another type or form.</exception>
    public static JsonElement Default(string place, WireType type, JsonElement value)
    {
        var code = type.Code == "?" ? type.Parts[0].Code : type.Code;
        return IsDefault(code, value) ? value.Clone() : throw new FormatException($"{place} has the type {code} and the default {Cut(value.GetRawText())}, which is not a constant of this type.");
    }

    /// <summary>Checks the numbers of an enum, and the fields of a plain struct.</summary>
    /// <exception cref="FormatException">Thrown when a number is out of range, or a field has no name or no type.</exception>
    public static void Type(SchemaType type)
    {
        if (!type.IsEnum)
        {
            foreach (var (name, code) in DeclaredType.FieldsOf(type))
            {
                Identifier($"A field of {type.Name}", name);
                if (!FixedValue.All.ContainsKey(code))
                    throw new FormatException($"{type.Name}.{name} has the type '{Cut(code)}', which is no type of a fixed size.");
            }

            return;
        }

        if (type.Code is not ("i1" or "i2" or "i4" or "i8" or "u1" or "u2" or "u4" or "u8"))
            throw new FormatException($"The enum {type.Name} has the type '{Cut(type.Code)}', which is no integer of up to 64 bits.");
        var bits = 8 * (type.Code[1] - '0');
        var (least, most) = type.Code[0] == 'i' ? (-(Int128.One << (bits - 1)), (Int128.One << (bits - 1)) - 1) : (0, (Int128.One << bits) - 1);
        if (type.Members.FirstOrDefault(one => one.Value < least || one.Value > most) is { } wrong)
            throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"{type.Name}.{wrong.Name} is {wrong.Value}, which is out of range of {type.Code}."));
    }

    /// <summary>Checks that each list of members in a layout ends, and that each sign @ has the id of a message.</summary>
    /// <exception cref="FormatException">Thrown when the text is not a layout.</exception>
    public static string? Layout(string contract, string? layout) => layout is null || s_layout.IsMatch(layout) ? layout : throw new FormatException($"{contract} has the layout '{Cut(layout)}', which is invalid.");

    private static bool IsDefault(string code, JsonElement value) => (code, value.ValueKind) switch
    {
        ("b", JsonValueKind.True or JsonValueKind.False) => true,
        ("s", JsonValueKind.String) => IsUnicode(value),
        ("c2" or "u2", JsonValueKind.Number) => Is<ushort>(value),
        ("i1", JsonValueKind.Number) => Is<sbyte>(value),
        ("i2", JsonValueKind.Number) => Is<short>(value),
        ("i4", JsonValueKind.Number) => Is<int>(value),
        ("u1", JsonValueKind.Number) => Is<byte>(value),
        ("u4", JsonValueKind.Number) => Is<uint>(value),
        ("i8", JsonValueKind.String) => Is<long>(value),
        ("u8", JsonValueKind.String) => Is<ulong>(value),
        ("i16", JsonValueKind.String) => Is<Int128>(value),
        ("u16", JsonValueKind.String) => Is<UInt128>(value),
        ("d", JsonValueKind.String) => IsUnicode(value) && decimal.TryParse(value.GetString(), NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number) && value.GetString()!.TrimStart('-') == Math.Abs(number).ToString(CultureInfo.InvariantCulture),
        ("f2", JsonValueKind.Number) => Half.IsFinite(Half.Parse(value.GetRawText(), CultureInfo.InvariantCulture)),
        ("f4", JsonValueKind.Number) => float.IsFinite(float.Parse(value.GetRawText(), CultureInfo.InvariantCulture)),
        ("f8", JsonValueKind.Number) => double.IsFinite(double.Parse(value.GetRawText(), CultureInfo.InvariantCulture)),
        ("f2" or "f4" or "f8", JsonValueKind.String) => value.ValueEquals("NaN") || value.ValueEquals("Infinity") || value.ValueEquals("-Infinity"),
        _ => false,
    };

    /// <summary>Returns whether a text is that of an integer, as the build writes it.</summary>
    private static bool Is<T>(JsonElement value)
        where T : IBinaryInteger<T>
    {
        var text = value.ValueKind == JsonValueKind.Number ? value.GetRawText() : IsUnicode(value) ? value.GetString()! : "";
        return T.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) && number.ToString(null, CultureInfo.InvariantCulture) == text;
    }

    /// <summary>Returns whether a text has no half of a surrogate pair, which no message can contain.</summary>
    private static bool IsUnicode(JsonElement value)
    {
        try
        {
            return value.GetString() is not null;
        }
        catch (InvalidOperationException)
        {
            return false; // JSON escapes allow such halves
        }
    }

    private static FormatException InvalidName(string place, string name) => new($"{place} has the name '{Cut(name)}'. {SchemaName.Rule}");

    private static string Cut(string text) => text.Length <= MaxShown ? text : text[..MaxShown] + "…";
}
