namespace Reloaded.Messaging;

/// <summary>The reason for which a datagram, or a message in a datagram, was dropped. <see cref="DatagramCounters.GetDropped"/> and <c>MessageHost.GetCount</c> return the number for each reason.</summary>
public enum DatagramDropReason
{
    /// <summary>The datagram does not belong to this protocol, is truncated, or does not contain whole messages.</summary>
    Malformed = 0,

    /// <summary>The datagram names a connection that does not exist or that has ended.</summary>
    UnknownConnection,

    /// <summary>The datagram names a connection without protection, and was sent from another address than the connection was opened from.</summary>
    WrongAddress,

    /// <summary>The cookie was not issued by this server, was issued for another address, or is older than 20 seconds.</summary>
    WrongCookie,

    /// <summary>The cookie was already used to open a connection.</summary>
    SpentCookie,

    /// <summary>A key offer for another kind of protection, for no protection, or without knowledge of the token. On a client: a refusal, or a wrong answer.</summary>
    WrongProtection,

    /// <summary>
    /// A connection that was refused, or was ended in favor of a newer connection. Too many connections from its address, or from all addresses,
    /// had not yet proved that they know the secret. Also a key offer above the limits of key exchanges.
    /// </summary>
    TooManyUnauthenticated,

    /// <summary>A datagram that was already received.</summary>
    Replayed,

    /// <summary>A datagram that arrived after more than 1024 newer datagrams.</summary>
    TooOld,

    /// <summary>The authentication tag is wrong: the other side did not send these bytes.</summary>
    Forged,

    /// <summary>More than 256 KiB of unreliable and sequenced messages were waiting to be read.</summary>
    InboxFull,

    /// <summary>The datagram contains ordered bytes beyond the announced room, or leaves too many gaps. The other side sends them again.</summary>
    OutOfOrder,

    /// <summary>A fragment of a divided message that is a duplicate, arrived too late, or does not belong to a valid message.</summary>
    BadFragment,

    /// <summary>A divided message whose remaining fragments did not arrive in time, or before the connection ended. Counts messages.</summary>
    Incomplete,

    /// <summary>An outgoing message that is too large for a datagram. Counts messages.</summary>
    TooLarge,

    /// <summary>A hello or a repeated request above the number that the server answers per second, from one address or from all addresses.</summary>
    TooManyHellos,

    /// <summary>A key offer from a client with the token that is invalid otherwise, such as a point that is not on the curve.</summary>
    InvalidOffer,

    /// <summary>A key offer from an address that is locked out, because the address failed too often to prove the token or the secret.</summary>
    LockedOut,

    /// <summary>A duplicate handshake answer of the server. The client had repeated its request before the first answer arrived.</summary>
    DuplicateAnswer,

    /// <summary>An exception was thrown while the datagram was handled; <c>MessageHost.DatagramFailed</c> reports the exception. Also counts other failures in the receive loop of the socket.</summary>
    Failed,

    /// <summary>A sequenced datagram that is older than the newest one received of its stream, or a duplicate of it: <see cref="DeliveryMode.Sequenced"/>.</summary>
    Outdated,

    /// <summary>An outgoing sequenced datagram that waited for the congestion window until a newer one of its stream was sent: <see cref="DeliveryMode.Sequenced"/>. A divided message counts once.</summary>
    OutdatedUnsent,

    /// <summary>An outgoing unreliable or sequenced datagram that waited for the congestion window while more than 64 KiB were sent after it. A divided message counts once.</summary>
    NotSent,
}
