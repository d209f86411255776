using System;
using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Writes defaults as JSON, for the schema. docs/vectors/README.md describes the forms.</summary>
internal static class JsonDefaults
{
    /// <summary>Writes the value of a member's initializer.</summary>
    /// <returns><see langword="null"/> if there is no initializer, or if it is not a literal: its value is known at run time only.</returns>
    public static string? OfInitializer(ISymbol member, WireType type)
    {
        var initializer = member.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() switch
        {
            PropertyDeclarationSyntax property => property.Initializer?.Value,
            VariableDeclaratorSyntax field => field.Initializer?.Value,
            _ => null,
        };
        return initializer is LiteralExpressionSyntax { Token.Value: { } value } ? Write(value, type) : null;
    }

    /// <summary>Writes a constant of a field's type.</summary>
    /// <returns><see langword="null"/> for a number that JSON lacks.</returns>
    public static string? Write(object value, WireType type)
    {
        var code = type.Code.TrimStart('?');
        return value switch
        {
            string text => JsonString.Quote(text),
            bool flag => flag ? "true" : "false",
            char unit => ((int)unit).ToString(CultureInfo.InvariantCulture),
            float.NaN or float.PositiveInfinity or float.NegativeInfinity or double.NaN or double.PositiveInfinity or double.NegativeInfinity => null,
            IFormattable number when code is "i8" or "u8" or "ts" or "d" => JsonString.Quote(number.ToString(null, CultureInfo.InvariantCulture)),
            float number => number.ToString("R", CultureInfo.InvariantCulture),
            double number => number.ToString("R", CultureInfo.InvariantCulture),
            IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
            _ => null,
        };
    }
}
