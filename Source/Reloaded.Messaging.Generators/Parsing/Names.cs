using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The names of the library's types and of generated types.</summary>
internal static class Names
{
    /// <summary>The build property with the path of the committed schema.</summary>
    public const string SchemaOption = "build_property.MessageSchemaFile";

    public const string Contracts = "Reloaded.Messaging";
    public const string Generated = "Reloaded.Messaging.Generated";

    /// <summary>The class that declares the contracts of an assembly.</summary>
    public const string Declaration = "MessageContracts";

    public const string Message = Contracts + ".MessageAttribute";
    public const string GenericMessage = Contracts + ".GenericMessageAttribute";
    public const string Field = Contracts + ".MessageFieldAttribute";
    public const string Include = Contracts + ".MessageIncludeAttribute";
    public const string Constructor = Contracts + ".MessageConstructorAttribute";
    public const string BeforeWriting = Contracts + ".BeforeWritingAttribute";
    public const string AfterReading = Contracts + ".AfterReadingAttribute";
    public const string Ignore = Contracts + ".MessageIgnoreAttribute";
    public const string Union = Contracts + ".MessageUnionAttribute";
    public const string Secret = Contracts + ".SecretAttribute";
    public const string Interned = Contracts + ".InternedAttribute";
    public const string Converter = Contracts + ".MessageConverterAttribute";
    public const string Compressor = "Reloaded.Messaging.IMessageCompressor";
    public const string Contract = "Reloaded.Messaging.MessageContract`1";
    public const string PackedMessage = "Reloaded.Messaging.PackedMessage";
    public const string HandlerRegistration = "Reloaded.Messaging.HandlerRegistration";

    public const string Service = "Reloaded.Messaging.Hosting.MessageServiceAttribute";
    public const string MessageId = "Reloaded.Messaging.Hosting.MessageIdAttribute";
    public const string HostOptions = "Reloaded.Messaging.Hosting.MessageHostOptions";
    public const string Protection = "Reloaded.Messaging.ProtectionOptions";
    public const string Peer = "Reloaded.Messaging.Hosting.Peer";
    public const string SendStatus = "Reloaded.Messaging.Hosting.SendStatus";

    /// <summary>The fully qualified name of a type, with C# keywords for built-in types and without nullable annotations.</summary>
    public static string Qualified(ITypeSymbol type) =>
        string.Concat(type.WithNullableAnnotation(NullableAnnotation.None).ToDisplayParts(SymbolDisplayFormat.FullyQualifiedFormat).Select(Escaped));

    /// <summary>Returns whether all names of a declaration are typed: those of the type, its containers, its members and their parameters. The compiler reports a missing name.</summary>
    public static bool AreTyped(INamedTypeSymbol type)
    {
        for (ISymbol? one = type; one is not null and not INamespaceSymbol { IsGlobalNamespace: true } and not IModuleSymbol; one = one.ContainingSymbol)
        {
            if (one.Name.Length == 0)
                return false;
        }

        return type.GetMembers().All(static member => member.Name.Length > 0 && (member as IMethodSymbol)?.Parameters.Any(static parameter => parameter.Name.Length == 0) != true);
    }

    /// <summary>The name of a type with its namespace and containing types, for messages to the user and for ids.</summary>
    public static string Full(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat.WithMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.None));

    /// <summary>The unique name of a message's serializer. An underscore of the type's name becomes <c>_0</c>, and no name starts with a zero, so two types never have the same serializer name.</summary>
    public static string Serializer(ITypeSymbol type) => Flat(type) + "Serializer";

    /// <summary>The full name of a type as one identifier. Two types never have the same one, and none contains <c>_1</c>.</summary>
    public static string Flat(ITypeSymbol type) => type is INamedTypeSymbol { IsGenericType: true } or IArrayTypeSymbol ? GenericNames.Flat(type) : Flat(Full(type));

    public static string Flat(INamespaceSymbol space) => Flat(space.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat.WithMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.None)));

    private static string Flat(string fullName) => new StringBuilder(fullName).Replace("_", "_0").Replace('.', '_').ToString();

    /// <summary>A qualified name without <c>global::</c>.</summary>
    public static string Display(string qualified) => qualified.Replace("global::", "");

    public static string QualifiedSerializer(ITypeSymbol type) => $"global::{Generated}.{Serializer(type)}";

    /// <summary>An identifier in generated code, in which <c>await</c> and <c>partial</c> are keywords too.</summary>
    public static string Escaped(string identifier) =>
        SyntaxFacts.GetKeywordKind(identifier) != SyntaxKind.None || SyntaxFacts.GetContextualKeywordKind(identifier) != SyntaxKind.None ? "@" + identifier : identifier;

    /// <summary>Roslyn escapes keywords, but not contextual ones.</summary>
    private static string Escaped(SymbolDisplayPart part) => part.Kind == SymbolDisplayPartKind.Keyword ? part.ToString() : Escaped(part.ToString());

    public static AttributeData? FindAttribute(ISymbol symbol, string name)
    {
        foreach (var attribute in symbol.GetAttributes())
        {
            // The last part is compared first, because that does not create a string.
            if (attribute.AttributeClass is { } type && name.EndsWith(type.Name, StringComparison.Ordinal) && type.ToDisplayString() == name)
                return attribute;
        }

        return null;
    }

    public static bool Has(ISymbol symbol, string attribute) => FindAttribute(symbol, attribute) is not null;

    /// <summary>The constructor argument of an attribute at an index; <c>null</c> if there are fewer arguments.</summary>
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
