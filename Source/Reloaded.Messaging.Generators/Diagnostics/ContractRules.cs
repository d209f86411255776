using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Diagnostics;

/// <summary>The rules for the declaration of messages. docs/analyzers.md has a section for each rule.</summary>
internal static class ContractRules
{
    private const string Category = "Reloaded.Messaging.Contracts";

    public static readonly DiagnosticDescriptor DuplicateId = Rule(
        "RM1001",
        "Two messages have one id",
        "'{0}' and '{2}' have the same id {1}. Give one of them another id.",
        WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor IdOutOfRange = Rule(
        "RM1002",
        "A message's id is out of range",
        "The id of '{0}' is {1}; an id must be in the range 0 to 4294967295. Ids up to 126 take one byte.");

    public static readonly DiagnosticDescriptor UnsupportedMember = Rule(
        "RM1003",
        "A member's type can't travel in a message",
        "'{0}' has the type {1}, which cannot be sent in a message: {2}.{3}");

    public static readonly DiagnosticDescriptor UnsupportedMessage = Rule(
        "RM1004",
        "A type can't be a message",
        "'{0}' cannot be a message: {1}");

    public static readonly DiagnosticDescriptor NotSettable = Rule(
        "RM1005",
        "A member could be sent but not received",
        "The receiver cannot set '{0}'. Add a setter or 'init', make '{1}' partial if it has one that is not public, or give '{1}' a constructor that takes all of its members by their names and types. To exclude the member, mark it [MessageIgnore].");

    public static readonly DiagnosticDescriptor UnionCase = Rule(
        "RM1006",
        "A union's type is not valid",
        "A [MessageUnion] of '{0}' is not valid: {1}");

    public static readonly DiagnosticDescriptor FieldNumber = Rule(
        "RM1007",
        "A field's number is not valid",
        "'{0}' {1}");

    public static readonly DiagnosticDescriptor NotPoolable = Rule(
        "RM1008",
        "A message can't be pooled",
        "'{0}' cannot be pooled. A pooled message must be a class with a constructor without parameters, and each member must have a setter and must not be 'required'.");

    public static readonly DiagnosticDescriptor UnstableOrder = Rule(
        "RM1009",
        "A message's fields have no certain order",
        "The fields of '{0}' are in several parts of a partial type, so their order depends on the order of the files. Put them into one part, or make the message version-tolerant.");

    public static readonly DiagnosticDescriptor SecretInterned = Rule(
        "RM1010",
        "A secret would be kept in a cache",
        "'{0}' is a secret, and the cache of interned strings would keep it. Remove [Interned].");

    public static readonly DiagnosticDescriptor NotACompressor = Rule(
        "RM1011",
        "A compressor's type is not valid",
        "Generated code cannot create a compressor of type '{0}'. Use a class that implements IMessageCompressor and has an accessible constructor that can be called without arguments.");

    public static readonly DiagnosticDescriptor IncompatibleChange = Rule(
        "RM1012",
        "A contract changed incompatibly",
        "{0}",
        WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor OutdatedSchema = new(
        "RM1013",
        "The schema of the contracts is out of date",
        "{0} differs from the contracts of this assembly: run 'dotnet build -p:WriteMessageSchema=true', and commit the file",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        customTags: WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor ReservedId = Rule(
        "RM1014",
        "A message's id is reserved",
        "The id of '{0}' is {1}; the library reserves the ids from 4294901760. Choose an id from 0 to 4294901759.");

    public static readonly DiagnosticDescriptor UnsupportedService = Rule(
        "RM1015",
        "An interface can't be a service",
        "'{0}' cannot be a service: {1}");

    public static readonly DiagnosticDescriptor UnsupportedServiceMember = Rule(
        "RM1016",
        "A member can't be part of a service",
        "'{0}' cannot be part of a service: {1}");

    public static readonly DiagnosticDescriptor NotPublic = new(
        "RM1017",
        "A member is not sent because it is not public",
        "'{0}' is not public, so it is not sent with '{1}'. Make it public, or mark it [MessageIgnore].",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true);

    public static readonly DiagnosticDescriptor InvalidConverter = Rule(
        "RM1018",
        "A converter is not valid",
        "The converter '{0}' is not valid: {1}");

    public static readonly DiagnosticDescriptor GenericDeclaration = Rule(
        "RM1019",
        "A declaration of a generic message is not valid",
        "The [GenericMessage] of '{0}' is not valid: {1}");

    private static DiagnosticDescriptor Rule(string id, string title, string message, params string[] tags) =>
        new(id, title, message, Category, DiagnosticSeverity.Error, isEnabledByDefault: true, customTags: tags);
}
