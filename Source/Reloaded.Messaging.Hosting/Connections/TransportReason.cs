namespace Reloaded.Messaging.Hosting;

/// <summary>Maps why a transport ended to why a peer is gone.</summary>
internal static class TransportReason
{
    public static DisconnectReason ToDisconnectReason(this TransportCloseReason reason) => reason switch
    {
        TransportCloseReason.HandshakeTimeout => DisconnectReason.HandshakeTimeout,
        TransportCloseReason.TlsFailed => DisconnectReason.TlsFailed,
        TransportCloseReason.WrongProtection => DisconnectReason.WrongProtection,
        TransportCloseReason.Tampered => DisconnectReason.Tampered,
        TransportCloseReason.LockedOut => DisconnectReason.LockedOut,
        _ => DisconnectReason.ConnectionLost,
    };
}
