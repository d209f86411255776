namespace Reloaded.Messaging.Hosting;

/// <summary>How frames are to be sent.</summary>
internal enum DatagramDelivery
{
    /// <summary>They fit a datagram.</summary>
    Unreliable,

    /// <summary>They have to arrive, in order, whatever their size.</summary>
    Reliable,

    /// <summary>One frame, and no datagram has room for it.</summary>
    TooLarge,
}
