namespace Reloaded.Messaging.Hosting;

/// <summary>The reason why a peer disconnected or a connection was refused. Each reason is counted: <see cref="MessageHost.GetCount(DisconnectReason)"/>.</summary>
public enum DisconnectReason
{
    /// <summary>This side disconnected the peer, or was disposed.</summary>
    Requested = 0,

    /// <summary>The remote side sent a goodbye.</summary>
    Goodbye,

    /// <summary>The connection ended without a goodbye, for example because the remote process or the network failed.</summary>
    ConnectionLost,

    /// <summary>The remote side did not complete the handshake within <see cref="HostLimits.HandshakeTimeout"/>.</summary>
    HandshakeTimeout,

    /// <summary>The first bytes of the remote side are not this protocol.</summary>
    NotAPeer,

    /// <summary>The remote side uses another version of the protocol.</summary>
    WrongVersion,

    /// <summary>The remote side does not know the token.</summary>
    WrongToken,

    /// <summary>A contract of the remote side differs.</summary>
    WrongContract,

    /// <summary>The server had <see cref="HostLimits.MaxPeers"/> peers.</summary>
    TooManyPeers,

    /// <summary>The peer announced a message above the limit.</summary>
    FrameTooLarge,

    /// <summary>The peer sent an unreadable frame, or more than 16 unreadable messages.</summary>
    Malformed,

    /// <summary>The peer sends requests and does not read the replies.</summary>
    RepliesUnread,

    /// <summary>1024 asynchronous handlers of the peer were running, and none of them ended within <see cref="MessageHostOptions.KeepAliveTimeout"/>.</summary>
    TooManyRunningHandlers,

    /// <summary>No byte arrived from the peer for <see cref="MessageHostOptions.KeepAliveTimeout"/>.</summary>
    NotResponding,

    /// <summary>The TLS handshake failed: the certificate was refused, or one side does not use TLS.</summary>
    TlsFailed,

    /// <summary>The remote side has another <see cref="MessageHostOptions.Protection"/>, or does not know the secret.</summary>
    WrongProtection,

    /// <summary>A protected record was altered, removed, repeated or inserted on the way. A stream that was cut is <see cref="ConnectionLost"/>.</summary>
    Tampered,

    /// <summary>The credentials were refused or late, or another message arrived first.</summary>
    NotAuthenticated,

    /// <summary>The program on this side called <see cref="Peer.KickAsync"/>.</summary>
    Kicked,

    /// <summary>No event and no request arrived for <see cref="MessageHostOptions.IdleTimeout"/>.</summary>
    Idle,

    /// <summary>The peer exceeded <see cref="HostLimits.MessagesPerSecond"/>.</summary>
    TooManyMessages,

    /// <summary>The peer exceeded <see cref="HostLimits.BytesPerSecond"/>.</summary>
    TooManyBytes,

    /// <summary>The address failed too often in a row to prove the token (5 times, or a fiftieth of <see cref="HostLimits.MaxPeersPerAddress"/>), and is refused for 30 s.</summary>
    LockedOut,

    /// <summary>The connection was the oldest unauthenticated connection of the address with the most, and the host had 1024 unauthenticated connections.</summary>
    TooManyUnauthenticated,

    /// <summary>The connection was the oldest unauthenticated connection of its address, which had a quarter of <see cref="HostLimits.MaxPeersPerAddress"/> of them, and at least 64.</summary>
    TooManyUnauthenticatedFromAddress,

    /// <summary>The server had <see cref="HostLimits.MaxPeersPerAddress"/> peers from the address.</summary>
    TooManyPeersFromAddress,

    /// <summary>The peer did not read. A write to it made no progress for <see cref="MessageHostOptions.KeepAliveTimeout"/>, or it held the most memory when messages for all peers, or all UDP connections, held 256 MiB. Used only by servers.</summary>
    NotReading,

    /// <summary>A browser asked for a WebSocket connection from a page whose origin may not connect: <see cref="WebSocketEndpointOptions.AllowedOrigins"/>. Used only by servers.</summary>
    WrongOrigin,

    /// <summary>The server has banned the account or the address for a time: <see cref="MessageServer.Bans"/>.</summary>
    Banned,
}
