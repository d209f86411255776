namespace Reloaded.Messaging;

/// <summary>The behavior of a registration when the type already has a handler.</summary>
public enum DuplicateHandlerBehavior
{
    /// <summary>Throws and changes nothing.</summary>
    Throw,

    /// <summary>Replaces the handler. Disposing the previous registration has no effect afterwards.</summary>
    Replace,
}
