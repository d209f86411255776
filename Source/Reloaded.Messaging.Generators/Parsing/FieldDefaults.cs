using System.Globalization;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines the values of fields that the sender did not send: the default of a constructor's parameter, or the value of the member in a new instance.</summary>
internal static class FieldDefaults
{
    public static List<FieldModel> Add(List<FieldModel> fields, List<Member> members, ConstructionPlan plan, Compilation compilation)
    {
        if (members.Count != fields.Count)
            return fields;
        var initial = InitialValues.Of(plan.Constructor, compilation);
        return fields.Select((field, i) => plan.Arguments.FirstOrDefault(argument => argument.Member == members[i]) is { } taken
            ? AddOf(taken.Parameter, field)
            : initial.AddTo(field, members[i], plan.Required.Contains(members[i]))).ToList();
    }

    /// <summary>Adds the default value of a parameter to its field.</summary>
    public static FieldModel AddOf(IParameterSymbol parameter, FieldModel field) => parameter is { HasExplicitDefaultValue: true, ExplicitDefaultValue: { } value } ? Add(field, value) : field;

    /// <summary>Adds a constant to a field.</summary>
    /// <remarks>A constant of a type with a converter says nothing about the surrogate.</remarks>
    public static FieldModel Add(FieldModel field, object value) => field with
    {
        Default = Literal(value, field.Type),
        JsonDefault = field.Type.IsConverted ? null : JsonDefaults.Write(value, field.Type),
        IsComputed = field.Type.IsConverted,
    };

    private static string Literal(object value, WireType type) => value switch
    {
        string text => SymbolDisplay.FormatLiteral(text, quote: true),
        bool flag => flag ? "true" : "false",
        float.NaN => "float.NaN",
        double.NaN => "double.NaN",
        float.PositiveInfinity => "float.PositiveInfinity",
        float.NegativeInfinity => "float.NegativeInfinity",
        double.PositiveInfinity => "double.PositiveInfinity",
        double.NegativeInfinity => "double.NegativeInfinity",
        float number => number.ToString("R", CultureInfo.InvariantCulture) + "F",
        double number => number.ToString("R", CultureInfo.InvariantCulture) + "D",
        decimal number => number.ToString(CultureInfo.InvariantCulture) + "M",
        char letter => SymbolDisplay.FormatLiteral(letter, quote: true),
        _ => string.Format(CultureInfo.InvariantCulture, "({0})({1})", type.Kind == WireKind.Nullable ? type.Element!.Name : type.Name, value), // numbers, and enums by their number
    };
}

/// <summary>Writes defaults as JSON, for the schema. docs/vectors/README.md describes the forms.</summary>
internal static class JsonDefaults
{
    /// <summary>Writes a constant, which an implicit conversion makes a value of the field's type.</summary>
    public static string? Write(object value, WireType type)
    {
        var code = type.Code.TrimStart('?');
        return Converted(value, code) switch
        {
            string text => JsonString.Quote(text),
            bool flag => flag ? "true" : "false",
            char unit => ((int)unit).ToString(CultureInfo.InvariantCulture),
            float.NaN or double.NaN => "\"NaN\"",
            float.PositiveInfinity or double.PositiveInfinity => "\"Infinity\"",
            float.NegativeInfinity or double.NegativeInfinity => "\"-Infinity\"",
            IFormattable number when code is "i8" or "u8" or "i16" or "u16" or "d" => JsonString.Quote(number.ToString(null, CultureInfo.InvariantCulture)),
            float number => number.ToString("R", CultureInfo.InvariantCulture),
            double number => number.ToString("R", CultureInfo.InvariantCulture),
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => null,
        };
    }

    private static object Converted(object value, string code) => (code, value) switch
    {
        (_, string or bool) => value,
        ("f4", char unit) => (float)unit,
        ("f8", char unit) => (double)unit,
        ("d", char unit) => (decimal)unit,
        ("f2" or "f4", _) => Convert.ToSingle(value, CultureInfo.InvariantCulture),
        ("f8", _) => Convert.ToDouble(value, CultureInfo.InvariantCulture),
        ("c2", _) => value,
        (_, char unit) => (int)unit,
        _ => value,
    };
}
