using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Diagnostics;

/// <summary>What can be wrong with a message's declaration. docs/analyzers.md has a paragraph for each.</summary>
internal static class ContractRules
{
    public static readonly DiagnosticDescriptor DuplicateId = Rule(
        "RM1001",
        "Two messages have one id",
        "The id {1} of '{0}' is that of '{2}' too: give one of them another",
        WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor IdOutOfRange = Rule(
        "RM1002",
        "A message's id is out of range",
        "The id {1} of '{0}' is out of range: ids are 0 to 4294967295, and up to 126 take one byte");

    public static readonly DiagnosticDescriptor UnsupportedMember = Rule(
        "RM1003",
        "A member's type can't travel in a message",
        "'{0}' is of type {1}, which can't travel in a message: {2}. [MessageIgnore] leaves it out");

    public static readonly DiagnosticDescriptor UnsupportedMessage = Rule(
        "RM1004",
        "A type can't be a message",
        "'{0}' can't be a message: {1}");

    public static readonly DiagnosticDescriptor NotSettable = Rule(
        "RM1005",
        "A member could be sent but not received",
        "'{0}' can't be set by a receiver: give it a setter, or '{1}' a constructor that takes all of its members. [MessageIgnore] leaves it out");

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
        "'{0}' can't be pooled: it has to be a class with a constructor without parameters, whose members all have a setter and none is required");

    public static readonly DiagnosticDescriptor UnstableOrder = Rule(
        "RM1009",
        "A message's fields have no certain order",
        "The fields of '{0}' are in several parts of a partial type, so their order is that of the files: put them into one part, or make the message version-tolerant");

    public static readonly DiagnosticDescriptor SecretInterned = Rule(
        "RM1010",
        "A secret would be kept in a cache",
        "'{0}' is a secret, and a cache would keep it: remove [Interned]");

    public static readonly DiagnosticDescriptor NotACompressor = Rule(
        "RM1011",
        "A compressor's type is not valid",
        "'{0}' is not a compressor that can be made: name a class that implements IMessageCompressor and has a constructor that can be called without arguments");

    private static DiagnosticDescriptor Rule(string id, string title, string message, params string[] tags) =>
        new(id, title, message, "Reloaded.Messaging.Contracts", DiagnosticSeverity.Error, isEnabledByDefault: true, customTags: tags);
}
