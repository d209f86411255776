namespace Reloaded.Messaging;

/// <summary>What registering does when the message type has a handler already.</summary>
public enum DuplicateHandlerBehavior
{
    /// <summary>Throws, and changes nothing.</summary>
    Throw,

    /// <summary>Takes the old handler's place. The old registration's handle no longer removes anything.</summary>
    Replace,
}
