using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Diagnostics;

/// <summary>The rules for the use of the library. The ids are stable. docs/analyzers.md explains each rule.</summary>
internal static class UsageRules
{
    public static readonly DiagnosticDescriptor MessageNotReleased = new(
        "RM2001",
        "Packed message is not released",
        "The message that '{0}' returns {1}",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "The last owner of a packed message disposes it. Only then does its buffer return to the pool.");

    public static readonly DiagnosticDescriptor MessageUsedAfterRelease = new(
        "RM2002",
        "Packed message used after its release",
        "'{0}' {1}",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "A released message throws when it is used. Spans of the message show the next contents of its buffer.");

    public static readonly DiagnosticDescriptor RegistrationDropped = new(
        "RM2003",
        "Registration handle is dropped",
        "The registration that '{0}' returns is dropped, so the handler cannot be removed. Keep the registration, or assign it to '_' if the handler should stay.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "Only the returned registration can remove the handler from its dispatcher.");

    public static readonly DiagnosticDescriptor SendStatusIgnored = new(
        "RM2004",
        "Send status is ignored",
        "'{0}' may refuse the message. Check the status, await the asynchronous method, or assign the status to '_' if the message may be lost.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "Every status except Sent means that the message was not taken. The caller loses the message if it ignores the status.");

    public static readonly DiagnosticDescriptor NoContract = new(
        "RM2005",
        "Type has no contract",
        "'{0}' needs a contract of '{1}', and the type has none: {2}",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "The call throws at run time, because no contract is declared for the type.",
        customTags: WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor HandlerBlocks = new(
        "RM2006",
        "Handler blocks its thread",
        "The handler {0}",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "A handler runs on the thread that receives the messages of its peer. While it blocks, no reply of that peer is received.");

    public static readonly DiagnosticDescriptor HandlerDropsTask = new(
        "RM2007",
        "Handler drops its task",
        "The handler starts '{0}' and drops its task. Make the handler asynchronous and await the call.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "Nothing waits for a task that a handler drops, and its exception is not reported.");

    public static readonly DiagnosticDescriptor OtherReply = new(
        "RM2008",
        "Reply is not the declared one",
        "'{0}' declares the reply {1}, but '{2}' uses {3}. Use the declared reply, or change the declaration.",
        Category,
        DiagnosticSeverity.Error,
        isEnabledByDefault: true,
        description: "The requester reads the reply that the type of the request declares by IRequest. Any other reply makes the request fail.");

    public static readonly DiagnosticDescriptor AsyncVoid = new(
        "RM2009",
        "Callback is async void",
        "'{0}' calls this asynchronous function as a delegate without a result, so its exceptions end the process. Return a task{1}.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "Nothing waits for an async void function, and its exceptions are thrown on the thread pool, where they end the process.");

    public static readonly DiagnosticDescriptor TaskDropped = new(
        "RM2010",
        "Task of a message is dropped",
        "The task of '{0}' is dropped, so its result and its exceptions are lost. Await the call in an asynchronous method, or assign the task to '_' if both may be lost.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "The compiler reports a dropped task in an asynchronous method only. In synchronous code, the exceptions of a send or a request are lost without a word.");

    public static readonly DiagnosticDescriptor MessageCut = new(
        "RM2011",
        "Derived message is sent as its base",
        "This '{0}' is sent as '{1}', so the receiver gets a '{1}' without the members of '{0}'. {2}.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "The contract of a message serializes the members of its own type. Only a union sends derived types.");

    public static readonly DiagnosticDescriptor TokenGuessable = new(
        "RM2012",
        "Token is a text",
        "The {0} is made of a text, which another program can guess without a limit. Use random bytes from RandomNumberGenerator.GetBytes(32).",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "A program that takes part in one handshake can test guesses for as long as it likes, and no failure is counted. Random bytes cannot be guessed.");

    public static readonly DiagnosticDescriptor LoginWithoutServerKey = new(
        "RM2013",
        "Login over UDP without a server key",
        "With {0} alone, each player that has the token can pose as the server and read the logins of others. Use WithServerKeyFile on the server and WithServerKey on the clients.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "A token that is shipped with a game is known to all players. Only a private key distinguishes the server from them.");

    public static readonly DiagnosticDescriptor RequestAsEvent = new(
        "RM2014",
        "Request is used as an event",
        "'{0}' is a request, and '{1}' is for events. Use '{2}', or remove the interface of the request.",
        Category,
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "A request has a handler of requests, and is sent as a request. A host counts it as misdirected otherwise, and calls no handler.");

    private const string Category = "Reloaded.Messaging.Usage";
}
