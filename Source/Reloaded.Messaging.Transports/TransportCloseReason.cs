namespace Reloaded.Messaging;

/// <summary>Why a connection could not be made or ended, as far as the transport knows.</summary>
public enum TransportCloseReason
{
    /// <summary>The connection ended without a reason: the process ended, the network failed, or no server listens.</summary>
    ConnectionLost = 0,

    /// <summary>The other side did not do its part of the handshake within <see cref="TransportContext.HandshakeTimeout"/>.</summary>
    HandshakeTimeout,

    /// <summary>The TLS handshake failed: a certificate was refused, or one side speaks without TLS.</summary>
    TlsFailed,

    /// <summary>The other side is not protected as <see cref="TransportContext.Protection"/> says, or does not know the secret.</summary>
    WrongProtection,

    /// <summary>The bytes that were received are not the bytes that the other side sent.</summary>
    Tampered,

    /// <summary>The server does not listen to this address for now: it failed too often to prove the secret. See <see cref="AddressLockout"/>.</summary>
    LockedOut,
}
