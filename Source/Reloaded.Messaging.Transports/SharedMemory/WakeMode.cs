namespace Reloaded.Messaging;

/// <summary>By what sleeping threads of a connection are woken. Both sides use the same; a byte of the server's offer.</summary>
internal enum WakeMode : byte
{
    /// <summary>The words of the map, by Linux.</summary>
    Futex = 1,

    /// <summary>Events with names, by Windows.</summary>
    NamedEvents = 2,

    /// <summary>Bytes over the lifeline (a socket or pipe), on any system.</summary>
    Bytes = 3,
}
