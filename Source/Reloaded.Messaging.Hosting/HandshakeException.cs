namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when the connection was established but the handshake failed.</summary>
/// <param name="reason">The reason of the failure.</param>
/// <param name="endpoint">The endpoint of the server.</param>
/// <param name="text">The difference, as this side found it or as the goodbye of the remote side describes it; <see langword="null"/> if it is not known.</param>
public sealed class HandshakeException(DisconnectReason reason, string endpoint, string? text = null)
    : Exception(Describe(reason, endpoint) + (string.IsNullOrEmpty(text) ? "" : " " + text))
{
    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>The reason of the failure.</summary>
    public DisconnectReason Reason { get; } = reason;

    private static string Share => " If clients share an address, raise HostLimits.MaxPeersPerAddress on the server.";

    private static string DescribeFull(string where, string limit) => $"the server has reached its maximum number of peers{where}. Disconnect a peer, or raise HostLimits.{limit} on the server.";

    private static string Describe(DisconnectReason reason, string endpoint) => $"The handshake with {endpoint} failed: " + reason switch
    {
        DisconnectReason.WrongToken => "the tokens of the two sides differ. Give both MessageHostOptions the same Token. A published server without a Token has a random one: connect to MessageEndpoint.OfProcess.",
        DisconnectReason.WrongProtection => "the Protection of the two sides differs, or only one side has it. Give both MessageHostOptions the same Protection, and the same Token unless it is ProtectionOptions.WithSecret. If they are the same, another program poses as the remote side.",
        DisconnectReason.WrongContract => "the contracts of a message type differ. Update one side, or set MessageHostOptions.AcceptsOtherContracts.",
        DisconnectReason.WrongVersion => "the remote side uses another version of the protocol. Update one side.",
        DisconnectReason.HandshakeTimeout => "the remote side did not complete it within HostLimits.HandshakeTimeout. Check that a host of this library runs at the endpoint, or raise the limit.",
        DisconnectReason.NotAPeer => "the remote side does not use this protocol, or it uses TLS or protection and this side does not. Another program may use the port: check the endpoint, TlsOptions and Protection.",
        DisconnectReason.LockedOut => "this machine failed too often to prove the token, and is refused for 30 s. Give both MessageHostOptions the same Token, and try again then." + Share,
        DisconnectReason.Banned => "the server has banned this client.",
        DisconnectReason.TooManyPeers => DescribeFull("", nameof(HostLimits.MaxPeers)),
        DisconnectReason.TooManyPeersFromAddress => DescribeFull(" from this address", nameof(HostLimits.MaxPeersPerAddress)),
        DisconnectReason.TooManyUnauthenticated or DisconnectReason.TooManyUnauthenticatedFromAddress => "the server disconnected this connection in favor of a newer connection. Try again." + Share,
        DisconnectReason.Goodbye => "the remote side refused the connection without a reason. It may be shutting down; try again later.",
        DisconnectReason.ConnectionLost => "the remote side closed the connection. Check the endpoint, and that TlsOptions and MessageHostOptions.Protection are the same on the two sides.",
        _ => $"the connection ended with {reason}.",
    };
}
