namespace Reloaded.Messaging;

/// <summary>Why a datagram, or what was in it, was not handed up. Each is counted: <see cref="DatagramCounters.GetDropped"/>, and <c>MessageHost.GetCount</c>.</summary>
public enum DatagramDropReason
{
    /// <summary>Not this protocol, cut short, or not whole messages.</summary>
    Malformed = 0,

    /// <summary>Of a connection that there is none of, or no more.</summary>
    UnknownConnection,

    /// <summary>Of a connection, and from another address than it was made from.</summary>
    WrongAddress,

    /// <summary>With a cookie that is not of this server, of this address and of the last 20 seconds.</summary>
    WrongCookie,

    /// <summary>With a cookie that a connection was made by already.</summary>
    SpentCookie,

    /// <summary>An offer of keys of another kind of protection, or of none. On a client, a refusal or a wrong proof.</summary>
    WrongProtection,

    /// <summary>
    /// A connection that was refused, or was ended to make room for a newer one, because too many connections from its address, or from all
    /// addresses, had not shown yet that they know the secret.
    /// </summary>
    TooManyStrangers,

    /// <summary>A protected datagram that came before.</summary>
    Replayed,

    /// <summary>More than 1024 newer ones came before it.</summary>
    TooOld,

    /// <summary>Not what the other side sent.</summary>
    Forged,

    /// <summary>More than 256 KiB waited to be read.</summary>
    InboxFull,

    /// <summary>Between the parts of something that has to come in order.</summary>
    OutOfOrder,

    /// <summary>A part of a divided message that came twice, came too late, or is of none that may be.</summary>
    BadFragment,

    /// <summary>A divided message whose other parts did not come, in time or before the end. Counts messages.</summary>
    Incomplete,

    /// <summary>A message to be sent that no datagram has room for. Counts messages.</summary>
    TooLarge,

    /// <summary>A hello beyond the number that a server answers per second, from one address or from all addresses.</summary>
    TooManyHellos,

    /// <summary>An offer of keys whose point is not on the curve.</summary>
    InvalidOffer,

    /// <summary>An offer of keys from an address that is locked out because it failed five times to prove the token or the secret.</summary>
    LockedOut,

    /// <summary>An answer of the server's part of the handshake that came again, because the client had asked again before the first answer arrived.</summary>
    DuplicateAnswer,

    /// <summary>A datagram whose handling threw an exception, which <c>MessageHost.DatagramFailed</c> reports. Also counts other failures of the socket's loop.</summary>
    Failed,
}
