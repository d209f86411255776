namespace Reloaded.Messaging.Hosting;

/// <summary>Maps the reason why a transport ended to a disconnect reason.</summary>
internal static class TransportReason
{
    public static DisconnectReason ToDisconnectReason(this TransportCloseReason reason) => reason switch
    {
        TransportCloseReason.HandshakeTimeout => DisconnectReason.HandshakeTimeout,
        TransportCloseReason.TlsFailed => DisconnectReason.TlsFailed,
        TransportCloseReason.WrongProtection => DisconnectReason.WrongProtection,
        TransportCloseReason.Tampered => DisconnectReason.Tampered,
        TransportCloseReason.LockedOut => DisconnectReason.LockedOut,
        TransportCloseReason.WrongProtocol => DisconnectReason.NotAPeer,
        TransportCloseReason.WrongOrigin => DisconnectReason.WrongOrigin,
        _ => DisconnectReason.ConnectionLost,
    };
}
