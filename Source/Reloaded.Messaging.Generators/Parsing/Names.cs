using System;
using System.Text;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The library's types, by name, and what generated ones are called.</summary>
internal static class Names
{
    public const string Contracts = "Reloaded.Messaging";
    public const string Generated = "Reloaded.Messaging.Generated";
    public const string Message = Contracts + ".MessageAttribute";
    public const string Field = Contracts + ".MessageFieldAttribute";
    public const string Ignore = Contracts + ".MessageIgnoreAttribute";
    public const string Union = Contracts + ".MessageUnionAttribute";
    public const string Secret = Contracts + ".SecretAttribute";
    public const string Interned = Contracts + ".InternedAttribute";
    public const string Compressor = "Reloaded.Messaging.IMessageCompressor";

    /// <summary>Fully qualified, with C#'s own words for what has one, and without annotations.</summary>
    public static string Qualified(ITypeSymbol type) => type.WithNullableAnnotation(NullableAnnotation.None).ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);

    /// <summary>With its namespace and outer types, for people and for ids.</summary>
    public static string Full(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat.WithMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.None));

    /// <summary>The name of a message's serializer. No two types' fall together: a zero, with which no name starts, marks an underscore of their own.</summary>
    public static string Serializer(ITypeSymbol type) => new StringBuilder(Full(type)).Replace("_", "_0").Replace('.', '_').Append("Serializer").ToString();

    public static string QualifiedSerializer(ITypeSymbol type) => $"global::{Generated}.{Serializer(type)}";

    public static AttributeData? FindAttribute(ISymbol symbol, string name)
    {
        foreach (var attribute in symbol.GetAttributes())
        {
            // The last part first: that is compared without making a string.
            if (attribute.AttributeClass is { } type && name.EndsWith(type.Name, StringComparison.Ordinal) && type.ToDisplayString() == name)
                return attribute;
        }

        return null;
    }

    public static bool Has(ISymbol symbol, string attribute) => FindAttribute(symbol, attribute) is not null;

    /// <summary>What the attribute's constructor was given; null if it takes less.</summary>
    public static object? Argument(AttributeData attribute, int index) =>
        index < attribute.ConstructorArguments.Length ? attribute.ConstructorArguments[index].Value : null;

    public static TValue Argument<TValue>(AttributeData attribute, string name, TValue otherwise)
    {
        foreach (var argument in attribute.NamedArguments)
        {
            if (argument.Key == name && argument.Value.Value is TValue value)
                return value;
        }

        return otherwise;
    }
}
