using System.Collections.Generic;
using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>What a constructor's parameters are when they are left out: what a field is when the sender didn't know it.</summary>
internal static class FieldDefaults
{
    public static List<FieldModel> Add(List<FieldModel> fields, List<Member> members, Construction construction)
    {
        if (construction == Construction.Setters || members.Count != fields.Count)
            return fields;

        var result = new List<FieldModel>();
        for (var i = 0; i < fields.Count; i++)
        {
            var parameter = MemberReader.FindParameter(members[i]);
            result.Add(fields[i] with { Default = parameter is { HasExplicitDefaultValue: true, ExplicitDefaultValue: { } value } ? Literal(value, fields[i].Type) : null });
        }

        return result;
    }

    private static string Literal(object value, WireType type) => value switch
    {
        string text => SymbolDisplay.FormatLiteral(text, quote: true),
        bool flag => flag ? "true" : "false",
        float.NaN => "float.NaN",
        double.NaN => "double.NaN",
        float.PositiveInfinity or double.PositiveInfinity => $"{type.Name}.PositiveInfinity",
        float.NegativeInfinity or double.NegativeInfinity => $"{type.Name}.NegativeInfinity",
        float number => number.ToString("R", CultureInfo.InvariantCulture) + "F",
        double number => number.ToString("R", CultureInfo.InvariantCulture) + "D",
        decimal number => number.ToString(CultureInfo.InvariantCulture) + "M",
        char letter => SymbolDisplay.FormatLiteral(letter, quote: true),
        _ => string.Format(CultureInfo.InvariantCulture, "({0})({1})", type.Kind == WireKind.Nullable ? type.Element!.Name : type.Name, value), // numbers, and enums by their number
    };
}
