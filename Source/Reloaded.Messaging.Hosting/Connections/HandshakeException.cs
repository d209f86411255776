using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>A connection was made, and no handshake.</summary>
public sealed class HandshakeException(DisconnectReason reason, string endpoint) : Exception(Describe(reason, endpoint))
{
    /// <summary>Why.</summary>
    public DisconnectReason Reason { get; } = reason;

    private static string Describe(DisconnectReason reason, string endpoint) => $"{endpoint} was reached, and there is no connection: " + reason switch
    {
        DisconnectReason.WrongToken => "the two sides' tokens differ. Give both MessageHostOptions the same Token.",
        DisconnectReason.WrongProtection => "the two sides' protection or secrets differ, or only one has any. Give both MessageHostOptions the same Protection, and with ProtectionOptions.WithToken the same Token.",
        DisconnectReason.WrongContract => "the two sides know a type of message by different contracts. ContractMismatched says which; MessageHostOptions.AcceptsOtherContracts accepts it.",
        DisconnectReason.WrongVersion => "it speaks another version of the protocol.",
        DisconnectReason.HandshakeTimeout => "it did not answer within HostLimits.HandshakeTimeout.",
        DisconnectReason.NotAPeer => "what it says is not this protocol; or it is protected, and TlsOptions or MessageHostOptions.Protection is missing here.",
        DisconnectReason.LockedOut => "this machine failed five times to prove the token, and is locked out for half a minute. Give both MessageHostOptions the same Token, and try again then.",
        DisconnectReason.TooManyPeers => "it has as many peers as it takes. Disconnect one, or raise HostLimits.MaxPeers there.",
        DisconnectReason.TooManyPeersFromAddress => "it has as many peers from this machine's address as it takes. Disconnect one, or raise HostLimits.MaxPeersPerAddress there.",
        DisconnectReason.TooManyUnauthenticated or DisconnectReason.TooManyUnauthenticatedFromAddress => "it disconnected this handshake in favor of a newer connection. Try again, or raise HostLimits.MaxUnauthenticated and MaxUnauthenticatedPerAddress there.",
        DisconnectReason.Goodbye => "it refused, and did not say why. It may be shutting down.",
        DisconnectReason.ConnectionLost => "it hung up. Is it the right server, and is it protected where TlsOptions or MessageHostOptions.Protection is missing here?",
        _ => $"it ended with {reason}.",
    };
}
