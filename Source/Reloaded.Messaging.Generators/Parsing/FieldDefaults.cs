using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds the default values of constructor parameters. A field has this value if the sender did not send it.</summary>
internal static class FieldDefaults
{
    public static List<FieldModel> Add(INamedTypeSymbol type, List<FieldModel> fields, List<Member> members, ConstructionPlan plan, Compilation compilation)
    {
        if (members.Count != fields.Count)
            return fields;
        if (plan.Kind == Construction.Setters)
        {
            var assigned = InitialValues.FindAssigned(type, compilation);
            return fields.Select((field, i) => InitialValues.AddTo(field, members[i].Symbol, assigned, compilation)).ToList();
        }


        var result = new List<FieldModel>();
        for (var i = 0; i < fields.Count; i++)
        {
            var member = members[i];
            var taken = plan.Arguments.FirstOrDefault(argument => argument.Member == member)?.Parameter;

            // A positional record struct is constructed without its constructor, but the defaults of the constructor's parameters apply.
            var parameter = taken ?? (plan.Arguments.Count == 0 && SymbolEqualityComparer.Default.Equals(member.Symbol.ContainingType, type) ? MemberReader.FindParameter(member) : null);
            result.Add(AddOf(parameter, fields[i]));
        }

        return result;
    }

    /// <summary>Adds the default value of a parameter to its field.</summary>
    public static FieldModel AddOf(IParameterSymbol? parameter, FieldModel field) => parameter is { HasExplicitDefaultValue: true, ExplicitDefaultValue: { } value }
        ? field with { Default = Literal(value, field.Type), JsonDefault = JsonDefaults.Write(value, field.Type) }
        : field with { Default = null };

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

/// <summary>Finds the values of members in a new instance. A field has this value if the sender did not send it.</summary>
internal static class InitialValues
{
    /// <summary>Returns the members that a constructor without parameters assigns, also one of a base class.</summary>
    public static HashSet<ISymbol> FindAssigned(INamedTypeSymbol type, Compilation compilation)
    {
        var assigned = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
        for (var part = type; part is not null; part = part.BaseType)
        {
            foreach (var reference in part.InstanceConstructors.Where(static one => one.Parameters.IsEmpty).SelectMany(static one => one.DeclaringSyntaxReferences))
            {
                if (reference.GetSyntax() is not ConstructorDeclarationSyntax constructor || !compilation.ContainsSyntaxTree(constructor.SyntaxTree))
                    continue;
                var model = compilation.GetSemanticModel(constructor.SyntaxTree);
                assigned.UnionWith(constructor.DescendantNodes().OfType<AssignmentExpressionSyntax>().Select(one => model.GetSymbolInfo(one.Left).Symbol).OfType<ISymbol>());
            }
        }

        return assigned;
    }

    /// <summary>Adds the value to a field for the schema, or that only the running program knows the value.</summary>
    public static FieldModel AddTo(FieldModel field, ISymbol member, HashSet<ISymbol> assigned, Compilation compilation)
    {
        if (assigned.Contains(member))
            return field with { IsComputed = true };
        var initializer = member.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() switch
        {
            PropertyDeclarationSyntax property => property.Initializer?.Value,
            VariableDeclaratorSyntax variable => variable.Initializer?.Value,
            _ => null,
        };
        if (initializer is null || !compilation.ContainsSyntaxTree(initializer.SyntaxTree)) // a base class of another project that is not compiled
            return field;
        var model = compilation.GetSemanticModel(initializer.SyntaxTree);
        if (model.GetConstantValue(initializer) is { HasValue: true } constant)
            return constant.Value is null ? field : field with { JsonDefault = JsonDefaults.Write(constant.Value, field.Type) };
        if (model.GetSymbolInfo(initializer).Symbol is IFieldSymbol { Name: nameof(string.Empty), ContainingType.SpecialType: SpecialType.System_String })
            return field with { JsonDefault = "\"\"" };
        return field with { IsComputed = !IsDefault(initializer, field.Type, model) };
    }

    /// <summary>Returns whether an expression is the value that other languages give to a missing field without a default: zero, or an empty collection.</summary>
    private static bool IsDefault(ExpressionSyntax expression, WireType type, SemanticModel model)
    {
        if (expression is LiteralExpressionSyntax or DefaultExpressionSyntax) // "default" of a struct is no constant
            return true;
        if (type.MayBeNull || type.Kind == WireKind.Nullable)
            return false;
        var isCollection = type.Element is not null && type.Kind != WireKind.Text;
        if (IsEmptyCollectionExpression(expression))
            return isCollection;
        return (expression, model.GetSymbolInfo(expression).Symbol) switch
        {
            (ArrayCreationExpressionSyntax { Type.RankSpecifiers: var ranks, Initializer: null }, _) => ranks[0].Sizes.All(size => model.GetConstantValue(size).Value is 0),
            (BaseObjectCreationExpressionSyntax { Initializer: null or { Expressions.Count: 0 } }, IMethodSymbol created) => isCollection
                ? created.Parameters.All(static one => one.Type.SpecialType == SpecialType.System_Int32 || one.Type.Name is "IEqualityComparer" or "IComparer")
                : created.ContainingType.IsValueType && created.IsImplicitlyDeclared && created.Parameters.IsEmpty,
            (_, { IsStatic: true, Name: "Empty" or "Zero", ContainingNamespace: { } space }) => space.ToDisplayString().StartsWith("System", StringComparison.Ordinal),
            _ => false,
        };
    }

    // Roslyn 4.3 has no class for "[]".
    private static bool IsEmptyCollectionExpression(ExpressionSyntax expression) =>
        expression.GetFirstToken() is var first && first.IsKind(SyntaxKind.OpenBracketToken) && first.GetNextToken() == expression.GetLastToken();
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

/// <summary>Writes texts as JSON.</summary>
internal static class JsonString
{
    public static string Quote(string value)
    {
        var text = new StringBuilder("\"");
        foreach (var one in value)
        {
            if (one is '"' or '\\')
                text.Append('\\').Append(one);
            else if (char.IsControl(one) || char.IsSurrogate(one) || one is '\u2028' or '\u2029') // the last two end a line of C#, in whose comments a build keeps the schema
                text.Append("\\u").Append(((int)one).ToString("x4", CultureInfo.InvariantCulture));
            else
                text.Append(one);
        }

        return text.Append('"').ToString();
    }
}
