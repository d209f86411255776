namespace Reloaded.Messaging.Hosting;

/// <summary>Why a peer is gone. Each is counted: <see cref="MessageHost.GetCount(DisconnectReason)"/>.</summary>
public enum DisconnectReason
{
    /// <summary>This side disconnected it, or was disposed.</summary>
    Requested = 0,

    /// <summary>The other side said goodbye.</summary>
    Goodbye,

    /// <summary>The connection ended without a goodbye: the process died, the network broke.</summary>
    ConnectionLost,

    /// <summary>It said nothing useful within <see cref="HostLimits.HandshakeTimeout"/>.</summary>
    HandshakeTimeout,

    /// <summary>What it said first is not this protocol.</summary>
    NotAPeer,

    /// <summary>It speaks another version of the protocol.</summary>
    WrongVersion,

    /// <summary>It doesn't know the token.</summary>
    WrongToken,

    /// <summary>It knows a type of message by another contract.</summary>
    WrongContract,

    /// <summary>There were <see cref="HostLimits.MaxPeers"/> already.</summary>
    TooManyPeers,

    /// <summary>It announced a message above the limit.</summary>
    FrameTooLarge,

    /// <summary>It sent more than <see cref="HostLimits.MaxMalformedMessages"/> messages that can't be read, or a frame that can't.</summary>
    Malformed,

    /// <summary>It sends requests and doesn't read the replies.</summary>
    RepliesUnread,

    /// <summary>It started more than <see cref="HostLimits.MaxRunningHandlers"/> handlers that had not ended.</summary>
    TooManyRunningHandlers,

    /// <summary>Nothing came from it for <see cref="MessageHostOptions.KeepAliveTimeout"/>.</summary>
    NotResponding,

    /// <summary>The TLS handshake failed: a certificate that was refused, or one side speaks without TLS.</summary>
    TlsFailed,

    /// <summary>It isn't protected as <see cref="MessageHostOptions.Protection"/> says, or doesn't know the secret.</summary>
    WrongProtection,

    /// <summary>What came by its connection was altered, left out or put in by others.</summary>
    Tampered,

    /// <summary>It was not let in: its credentials were refused, late, or not the first thing that it sent.</summary>
    NotAuthenticated,

    /// <summary>This side's program disconnected it, and said why.</summary>
    Kicked,

    /// <summary>It sent no event and no request for <see cref="MessageHostOptions.IdleTimeout"/>.</summary>
    Idle,

    /// <summary>It sent more than <see cref="HostLimits.MessagesPerSecond"/>.</summary>
    TooManyMessages,

    /// <summary>It sent more than <see cref="HostLimits.BytesPerSecond"/>.</summary>
    TooManyBytes,

    /// <summary>Its machine failed five times in a row to prove the token, within half a minute.</summary>
    LockedOut,

    /// <summary>It was the oldest connection that was not authenticated when there were more than <see cref="HostLimits.MaxUnauthenticated"/>.</summary>
    TooManyUnauthenticated,

    /// <summary>It was the oldest connection from its address that was not authenticated when there were more than <see cref="HostLimits.MaxUnauthenticatedPerAddress"/>.</summary>
    TooManyUnauthenticatedFromAddress,

    /// <summary>There were <see cref="HostLimits.MaxPeersPerAddress"/> from its address already.</summary>
    TooManyPeersFromAddress,

    /// <summary>The peer did not read: a write to it made no progress for <see cref="MessageHostOptions.KeepAliveTimeout"/>, or it held the most when <see cref="HostLimits.MaxTotalPendingBytes"/> were in use. Servers only.</summary>
    NotReading,
}
