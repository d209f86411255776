using System.Security.Cryptography;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Authenticates a connection: exchanges hellos and proofs, compares the contracts, and confirms. The server sends the last confirmation.</summary>
/// <remarks>With a token, contracts are announced only after the proof, so that an unauthenticated connection learns no names.</remarks>
/// <param name="options">The options of the host.</param>
/// <param name="isServer">Whether this side is the server.</param>
/// <param name="token">The token that both sides must know; empty for no token.</param>
/// <param name="announcement">The contracts of this side.</param>
internal sealed class Handshake(MessageHostOptions options, bool isServer, ReadOnlyMemory<byte> token, ContractAnnouncement announcement)
{
    /// <returns><c>null</c> if the handshake succeeded; otherwise, the reason of the failure.</returns>
    public async Task<DisconnectReason?> RunAsync(Connection connection)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(connection.Ended);
        timeout.CancelAfter(options.Limits.HandshakeTimeout);

        // Ends the connection and not only the wait: on some runtimes, a receive does not end when its token is canceled.
        using var expiry = timeout.Token.UnsafeRegister(static connection => ((Connection)connection!).End(DisconnectReason.HandshakeTimeout), connection);
        try
        {
            var failure = await ExchangeAsync(connection, timeout.Token).ConfigureAwait(false);
            if (failure is { IsOfThisSide: true })
                await connection.CloseAsync(failure.Reason, awaitsEnd: false, failure.Text).ConfigureAwait(false); // so that the remote side receives the reason, and not only the end of the connection
            return failure?.Reason;
        }
        catch (OperationCanceledException)
        {
            return connection.EndReason ?? DisconnectReason.HandshakeTimeout;
        }
        catch (TransportClosedException e)
        {
            return e.Reason.ToDisconnectReason();
        }
    }

    /// <returns><c>null</c> if both sides accept each other; otherwise, the failure.</returns>
    private async Task<Failure?> ExchangeAsync(Connection connection, CancellationToken cancellationToken)
    {
        var ours = HelloMessage.Create(options, announcement.Bytes, token);
        connection.SendControl(ControlCode.Hello, ours.Write());
        if (isServer && await FindOtherEncryptionAsync(connection, cancellationToken).ConfigureAwait(false) is { } other)
            return new Failure(DisconnectReason.NotAPeer, other);
        var (payload, reason) = await ReceiveAsync(connection, cancellationToken).ConfigureAwait(false);
        if (payload is null)
            return Failure.OfOtherSide(reason);
        if (HelloMessage.TryRead(payload) is not { } theirs)
            return new Failure(DisconnectReason.NotAPeer, "The hello cannot be read.");
        if (Compare(ours, theirs) is { } different)
            return new Failure(different);
        if (ours.HasToken && await ExchangeProofsAsync(connection, ours, theirs, cancellationToken).ConfigureAwait(false) is { } unproved)
            return new Failure(unproved);
        if (!theirs.SendsContractsLater && connection.Contracts.Add(theirs.Contracts, announcement) is { } refused)
            return Failure.OfContracts(refused);

        connection.Sender.RemoteMaxMessageSize = (int)Math.Min(theirs.MaxMessageSize, int.MaxValue);
        if (!isServer)
            AcceptAsClient(connection, ours, theirs);

        // The contracts of the remote side, if it announces them after the proof, and its confirmation.
        (payload, reason) = await ReceiveAsync(connection, cancellationToken).ConfigureAwait(false);
        if (payload is { Length: > 0 } && ours.HasToken)
        {
            if (isServer)
                connection.SendControl(ControlCode.Hello, announcement.Bytes); // also sent to a client that is refused for its contracts, so that it can report the difference
            if (connection.Contracts.Add(payload, announcement) is { } refusedLater)
                return Failure.OfContracts(refusedLater);
            (payload, reason) = await ReceiveAsync(connection, cancellationToken).ConfigureAwait(false);
        }
        else if (isServer && ours.HasToken)
        {
            connection.LastAnnouncement = connection.KnownAnnouncement = -1; // a client of an earlier version expects the contracts after the handshake
        }

        if (payload is null)
            return Failure.OfOtherSide(reason);
        return payload.Length == 0 ? null : new Failure(DisconnectReason.NotAPeer, "The last hello is not empty.");
    }

    /// <summary>Confirms that this side accepts the server. With a token, this side announces its contracts before the confirmation. A server of an earlier version sent its contracts in the first hello, and expects the contracts of this side after the confirmation.</summary>
    private void AcceptAsClient(Connection connection, HelloMessage ours, HelloMessage theirs)
    {
        if (ours.HasToken && theirs.SendsContractsLater)
            connection.SendControl(ControlCode.Hello, announcement.Bytes);
        connection.SendControl(ControlCode.Hello, default);
        if (ours.HasToken && !theirs.SendsContractsLater)
            connection.SendControl(ControlCode.Hello, announcement.Bytes);
    }

    private static DisconnectReason? Compare(HelloMessage ours, HelloMessage theirs) =>
        theirs.ProtocolVersion != HelloMessage.Version ? DisconnectReason.WrongVersion
        : theirs.HasToken != ours.HasToken ? DisconnectReason.WrongToken
        : null;

    private async Task<DisconnectReason?> ExchangeProofsAsync(Connection connection, HelloMessage ours, HelloMessage theirs, CancellationToken cancellationToken)
    {
        var own = TokenProof.Make(token.Span, isServer, ours.Nonce, theirs.Nonce);
        var expected = TokenProof.Make(token.Span, !isServer, theirs.Nonce, ours.Nonce);
        if (!isServer)
            connection.SendControl(ControlCode.Hello, own);
        var (proof, reason) = await ReceiveAsync(connection, cancellationToken).ConfigureAwait(false);
        if (proof is null)
            return reason;
        if (!TokenProof.IsRight(proof, expected))
            return DisconnectReason.WrongToken;
        if (isServer)
            connection.SendControl(ControlCode.Hello, own); // after the client's proof: without Protection, an unauthenticated connection receives no data against which it could test tokens
        return null;
    }

    /// <summary>Returns what this server lacks if the client begins with another encryption; otherwise, <c>null</c>. The client is answered, so that it does not take the end of the connection for that of a server that is being stopped.</summary>
    private static async Task<string?> FindOtherEncryptionAsync(Connection connection, CancellationToken cancellationToken)
    {
        if (connection.Reader.Unread.IsEmpty && !await connection.Reader.FillAsync(cancellationToken).ConfigureAwait(false))
            return null;
        return connection.Reader.Unread switch
        {
            [0, ..] => "This server has no MessageHostOptions.Protection.",
            [0x16, 0x03, ..] => "This server has no TlsOptions.",
            _ => null,
        };
    }

    /// <summary>Receives the payload of the next hello, or returns the reason of the failure.</summary>
    private static async Task<(byte[]? Payload, DisconnectReason Reason)> ReceiveAsync(Connection connection, CancellationToken cancellationToken)
    {
        while (true)
        {
            switch (connection.Reader.TryRead(out var message))
            {
                case FrameStatus.Ok:
                    if (IsControl(message, ControlCode.Hello, out var payload))
                        return (payload.ToArray(), default);
                    if (!IsControl(message, ControlCode.Goodbye, out payload))
                        return (null, DisconnectReason.NotAPeer);
                    connection.NoteGoodbye(payload);
                    return (null, ReasonOf(payload));
                case FrameStatus.Incomplete when !connection.Reader.BeginsControl:
                    return (null, DisconnectReason.NotAPeer); // at once: another program does not send the rest
                case FrameStatus.Incomplete:
                    if (!await connection.Reader.FillAsync(cancellationToken).ConfigureAwait(false))
                        return (null, DisconnectReason.ConnectionLost);
                    break;
                default:
                    return (null, DisconnectReason.NotAPeer);
            }
        }
    }

    /// <summary>Returns the reason of a refusal by the remote side: the reason in its goodbye, if it is a valid reason for a refusal.</summary>
    private static DisconnectReason ReasonOf(ReadOnlySpan<byte> goodbye)
    {
        var reason = goodbye.Length > 0 ? (DisconnectReason)goodbye[0] : DisconnectReason.Goodbye;
        return reason is DisconnectReason.NotAPeer or DisconnectReason.WrongVersion or DisconnectReason.WrongToken or DisconnectReason.WrongContract or DisconnectReason.TooManyPeers or DisconnectReason.TooManyPeersFromAddress
            or DisconnectReason.TooManyUnauthenticated or DisconnectReason.TooManyUnauthenticatedFromAddress or DisconnectReason.LockedOut or DisconnectReason.Banned
            ? reason
            : DisconnectReason.Goodbye;
    }

    private static bool IsControl(ReadOnlySpan<byte> message, uint opcode, out ReadOnlySpan<byte> payload)
    {
        var isOne = MessageHeader.TryRead(message, out var header, out var size) == HeaderStatus.Ok &&
            header is { Kind: MessageKind.Control, IsCompressed: false } &&
            header.Type == opcode;
        payload = isOne ? message.Slice(size) : default;
        return isOne;
    }

    /// <summary>Why a handshake failed. The remote side receives the reason of this side; it knows its own reason.</summary>
    private sealed class Failure(DisconnectReason reason, string? text = null, bool isOfThisSide = true)
    {
        public readonly DisconnectReason Reason = reason;
        public readonly string? Text = text;
        public readonly bool IsOfThisSide = isOfThisSide;

        public static Failure OfOtherSide(DisconnectReason reason) => new(reason, isOfThisSide: false);

        /// <summary>The refusal of the contracts of the remote side. Unreadable contracts are refused as another protocol.</summary>
        public static Failure OfContracts(DisconnectReason reason) => reason == DisconnectReason.Malformed
            ? new(DisconnectReason.NotAPeer, "The contracts in the hello cannot be read, are more than 4096, or have one id twice.")
            : new(reason);
    }
}

/// <summary>Proves that a side knows the token without sending it: an HMAC over the nonces of the two sides and the role of this side.</summary>
/// <remarks>The role prevents one side's proof from being sent back as the proof of the other side.</remarks>
internal static class TokenProof
{
    public const int Size = 32;

    public static byte[] Make(ReadOnlySpan<byte> token, bool ofServer, ReadOnlySpan<byte> ownNonce, ReadOnlySpan<byte> otherNonce)
    {
        Span<byte> text = stackalloc byte[1 + (2 * HelloMessage.NonceSize)];
        text[0] = ofServer ? (byte)'S' : (byte)'C';
        ownNonce.CopyTo(text.Slice(1));
        otherNonce.CopyTo(text.Slice(1 + HelloMessage.NonceSize));
        return HMACSHA256.HashData(token, text);
    }

    /// <summary>Compares two proofs in constant time.</summary>
    public static bool IsRight(ReadOnlySpan<byte> proof, ReadOnlySpan<byte> expected) => CryptographicOperations.FixedTimeEquals(proof, expected);
}
