using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Diagnostics;

/// <summary>What the compiler says about using the library. The ids are stable, and explained in docs/analyzers.md.</summary>
internal static class UsageRules
{
    public static readonly DiagnosticDescriptor MessageNotReleased = new(
        "RM2001",
        "Packed message is not released",
        "The message that '{0}' returns {1}",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "Whoever holds a packed message last disposes it: its buffer goes back to the pool only then.");

    public static readonly DiagnosticDescriptor MessageUsedAfterRelease = new(
        "RM2002",
        "Packed message used after its release",
        "'{0}' {1}",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "A released message throws when it is used, and spans taken from it show whatever its buffer holds next.");

    public static readonly DiagnosticDescriptor RegistrationDropped = new(
        "RM2003",
        "Registration handle is dropped",
        "Nobody can remove the handler later: keep what '{0}' returns, or assign it to '_' if the handler is to stay",
        Category,
        DiagnosticSeverity.Info,
        isEnabledByDefault: true,
        description: "The handle that a registration returns is the only way to remove the handler from its dispatcher.");

    public static readonly DiagnosticDescriptor SendStatusIgnored = new(
        "RM2004",
        "Send status is ignored",
        "'{0}' may refuse the message: check the status, await the asynchronous form, or assign the status to '_'",
        Category,
        DiagnosticSeverity.Info,
        isEnabledByDefault: true,
        description: "Every status except Sent means that the message was not taken. The caller loses the message if it ignores the status.");

    private const string Category = "Reloaded.Messaging.Usage";
}
