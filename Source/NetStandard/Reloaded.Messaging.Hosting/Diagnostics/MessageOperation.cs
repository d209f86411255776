using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting;

/// <summary>The operations of other targets. The netstandard2.1 build has no spans and no durations: both need a package that Mono does not load.</summary>
[SuppressMessage("Performance", "CA1822", Justification = "The members of the class of other targets.")]
internal sealed class MessageOperation
{
    private MessageOperation()
    {
    }

    public static bool IsSupported => false;

    public static bool IsTraced => false;

    public static bool IsObserved => false;

    /// <summary>Returns an operation that does nothing. Not called, because nothing is observed.</summary>
    public static MessageOperation Start(OperationKind kind, string type, string endpoint, string? remoteName, Action<Exception> failed, TraceContext? parent = null) => new();

    public void Enter()
    {
        // There is no current span.
    }

    public void Leave()
    {
        // There is no current span.
    }

    public byte[]? PackContext(uint messageType, uint correlationId) => null;

    public void End(string? error, string? description = null)
    {
        // There is no span.
    }
}
