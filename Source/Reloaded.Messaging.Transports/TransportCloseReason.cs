using System.IO;

namespace Reloaded.Messaging;

/// <summary>The reason for which a connection could not be opened or has ended, as far as the transport can determine.</summary>
public enum TransportCloseReason
{
    /// <summary>The connection ended without a reason: the process ended, the network failed, or no server listens.</summary>
    ConnectionLost = 0,

    /// <summary>The other side did not complete its part of the handshake within <see cref="TransportContext.HandshakeTimeout"/>.</summary>
    HandshakeTimeout,

    /// <summary>The TLS handshake failed: a certificate was refused, or one side does not use TLS.</summary>
    TlsFailed,

    /// <summary>The other side does not use the same <see cref="TransportContext.Protection"/>, or does not know the secret.</summary>
    WrongProtection,

    /// <summary>The received bytes are not the bytes that the other side sent. A stream that was cut is <see cref="ConnectionLost"/>.</summary>
    Tampered,

    /// <summary>The server refuses this address for a while, because the address failed too often to prove the secret. See <see cref="AddressLockout"/>.</summary>
    LockedOut,

    /// <summary>The other side does not use the protocol of the transport. For a WebSocket server: the bytes were not a WebSocket request for its path.</summary>
    WrongProtocol,

    /// <summary>The WebSocket request comes from a page whose origin may not connect: <see cref="WebSocketEndpointOptions.AllowedOrigins"/>.</summary>
    WrongOrigin,

    /// <summary>Over UDP: the connection held the most memory when all connections of the server held 256 MiB of unread, incomplete and unacknowledged data.</summary>
    NotReading,
}
