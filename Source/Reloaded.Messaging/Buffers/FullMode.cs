namespace Reloaded.Messaging;

/// <summary>The behavior of a full queue or ring when an item is added. Each place names the values that it accepts, and throws an <see cref="System.ArgumentOutOfRangeException"/> for the others.</summary>
public enum FullMode
{
    /// <summary>The new item is refused. The caller still owns it.</summary>
    Reject = 0,

    /// <summary>The oldest item is dropped, and the new item is accepted. For state that newer items replace.</summary>
    DropOldest,

    /// <summary>The new item waits until there is room. No item is dropped.</summary>
    Wait,
}
