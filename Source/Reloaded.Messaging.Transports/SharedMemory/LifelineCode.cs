namespace Reloaded.Messaging;

/// <summary>The bytes that are sent over the lifeline, a socket or pipe.</summary>
internal static class LifelineCode
{
    /// <summary>The client has mapped the map: its name can go.</summary>
    public const byte Mapped = 1;

    /// <summary>Wakes the thread that waits for bytes, where there is no other way.</summary>
    public const byte WakeConsumer = 2;

    /// <summary>Wakes the thread that waits for room, where there is no other way.</summary>
    public const byte WakeProducer = 3;
}
