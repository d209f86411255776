using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Turns a stranger into a peer: hello, proof, the comparison of contracts, and that each accepts the other. The server's word is the last.</summary>
/// <remarks>With a token, contracts are told only after the proof: a stranger learns no names.</remarks>
internal static class Handshake
{
    private static readonly MessageContract<HelloMessage> s_contract = new(ControlCode.Hello, new HelloSerializer());

    /// <returns>Null when the peer may go on; otherwise why not.</returns>
    public static async Task<DisconnectReason?> RunAsync(MessageHost host, Peer peer, IReadOnlyCollection<MessageContract> contracts)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(peer.Ended);
        timeout.CancelAfter(host.Options.Limits.HandshakeTimeout);

        // Ends the connection, and not only the wait: on some runtimes a receive does not end when it is canceled.
        using var expiry = timeout.Token.Register(static peer => ((Peer)peer!).End(DisconnectReason.HandshakeTimeout), peer);
        try
        {
            var ours = HelloMessage.Create(host.Options, contracts, host.Token);
            using (var packed = ControlMessage.Writer.Pack(s_contract, ours, MessageKind.Control, 0))
                peer.Outbox.TryAppendControl(packed.Span);

            var (payload, reason) = await ReceiveAsync(peer, timeout.Token).ConfigureAwait(false);
            if (payload is null)
                return reason;
            if (HelloMessage.TryRead(payload) is not { } theirs)
                return await RefuseAsync(peer, DisconnectReason.NotAPeer, "The hello cannot be read.").ConfigureAwait(false);
            if (Compare(ours, theirs) is { } different)
                return await RefuseAsync(peer, different).ConfigureAwait(false);
            if (ours.HasToken && await ExchangeProofsAsync(host, peer, ours, theirs, timeout.Token).ConfigureAwait(false) is { } unproved)
                return await RefuseAsync(peer, unproved).ConfigureAwait(false);
            if (!theirs.SendsContractsLater && peer.Contracts.Add(theirs.Contracts.Span, contracts) is { } refused)
                return await RefuseContractsAsync(peer, refused).ConfigureAwait(false);

            peer.RemoteMaxMessageSize = (int)Math.Min(theirs.MaxMessageSize, int.MaxValue);
            if (host is MessageClient)
                AcceptAsClient(peer, ours, theirs, contracts);
            return await ReceiveAcceptanceAsync(host, peer, ours, contracts, timeout.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            return peer.Disconnected ?? DisconnectReason.HandshakeTimeout;
        }
        catch (TransportClosedException e)
        {
            return e.Reason;
        }
    }

    /// <summary>Sends that this side accepts the server. With a token this side sends its contracts before that. A server of an earlier version sent its own in the first hello, and expects them after that.</summary>
    private static void AcceptAsClient(Peer peer, HelloMessage ours, HelloMessage theirs, IReadOnlyCollection<MessageContract> contracts)
    {
        if (ours.HasToken && theirs.SendsContractsLater)
            peer.SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts));
        peer.SendControl(ControlCode.Hello, default);
        if (ours.HasToken && !theirs.SendsContractsLater)
            peer.SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts));
    }

    /// <summary>Receives the other side's contracts, if it tells them only now, and that it accepts this side.</summary>
    private static async Task<DisconnectReason?> ReceiveAcceptanceAsync(MessageHost host, Peer peer, HelloMessage ours, IReadOnlyCollection<MessageContract> contracts, CancellationToken cancellationToken)
    {
        var (payload, reason) = await ReceiveAsync(peer, cancellationToken).ConfigureAwait(false);
        if (payload is { Length: > 0 } && ours.HasToken)
        {
            if (host is MessageServer)
                peer.SendControl(ControlCode.Hello, ContractDescriptor.WriteAll(contracts)); // to one that is refused for them, too: it reports what differs
            if (peer.Contracts.Add(payload, contracts) is { } refused)
                return await RefuseContractsAsync(peer, refused).ConfigureAwait(false);
            (payload, reason) = await ReceiveAsync(peer, cancellationToken).ConfigureAwait(false);
        }
        else if (host is MessageServer && ours.HasToken)
        {
            peer.AnnouncedContracts = -1; // a client of an earlier version expects them after the handshake
        }

        if (payload is null)
            return reason;
        return payload.Length == 0 ? null : await RefuseAsync(peer, DisconnectReason.NotAPeer, "The last hello is not empty.").ConfigureAwait(false);
    }

    /// <summary>Refuses contracts: those that differ by their reason, and those that cannot be read as bytes of another protocol.</summary>
    private static Task<DisconnectReason> RefuseContractsAsync(Peer peer, DisconnectReason reason) => reason == DisconnectReason.Malformed
        ? RefuseAsync(peer, DisconnectReason.NotAPeer, "The contracts in the hello cannot be read, are more than 4096, or have one id twice.")
        : RefuseAsync(peer, reason);

    private static async Task<DisconnectReason> RefuseAsync(Peer peer, DisconnectReason reason, string? text = null)
    {
        await peer.DisconnectAsync(reason, awaitsEnd: false, text).ConfigureAwait(false); // so that the other side hears that it was refused, and not only sees the end
        return reason;
    }

    private static DisconnectReason? Compare(HelloMessage ours, HelloMessage theirs) =>
        theirs.ProtocolVersion != HelloMessage.Version ? DisconnectReason.WrongVersion
        : theirs.HasToken != ours.HasToken ? DisconnectReason.WrongToken
        : null;

    private static async Task<DisconnectReason?> ExchangeProofsAsync(MessageHost host, Peer peer, HelloMessage ours, HelloMessage theirs, CancellationToken cancellationToken)
    {
        var token = host.Token;
        var isServer = host is MessageServer;
        var own = TokenProof.Make(token.Span, isServer, ours.Nonce, theirs.Nonce);
        var expected = TokenProof.Make(token.Span, !isServer, theirs.Nonce, ours.Nonce);
        if (!isServer)
            peer.SendControl(ControlCode.Hello, own);
        var (proof, reason) = await ReceiveAsync(peer, cancellationToken).ConfigureAwait(false);
        if (proof is null)
            return reason;
        if (!TokenProof.IsRight(proof, expected))
            return DisconnectReason.WrongToken;
        if (isServer)
            peer.SendControl(ControlCode.Hello, own); // after theirs: a stranger gets nothing that tokens could be tried against
        return null;
    }

    /// <summary>Receives the next hello's payload, or why there is none.</summary>
    private static async Task<(byte[]? Payload, DisconnectReason Reason)> ReceiveAsync(Peer peer, CancellationToken cancellationToken)
    {
        while (true)
        {
            switch (peer.Reader.TryRead(out var message))
            {
                case FrameStatus.Ok:
                    if (IsControl(message, ControlCode.Hello, out var payload))
                        return (payload.ToArray(), default);
                    return (null, IsControl(message, ControlCode.Goodbye, out payload) ? ReasonOf(payload) : DisconnectReason.NotAPeer);
                case FrameStatus.Incomplete:
                    if (!await peer.Reader.FillAsync(cancellationToken).ConfigureAwait(false))
                        return (null, DisconnectReason.ConnectionLost);
                    break;
                default:
                    return (null, DisconnectReason.NotAPeer);
            }
        }
    }

    /// <summary>Why the other side refused this one: what it says, as far as that can be why.</summary>
    private static DisconnectReason ReasonOf(ReadOnlySpan<byte> goodbye)
    {
        var reason = goodbye.Length > 0 ? (DisconnectReason)goodbye[0] : DisconnectReason.Goodbye;
        return reason is DisconnectReason.NotAPeer or DisconnectReason.WrongVersion or DisconnectReason.WrongToken or DisconnectReason.WrongContract or DisconnectReason.TooManyPeers or DisconnectReason.TooManyPeersFromAddress
            or DisconnectReason.TooManyUnauthenticated or DisconnectReason.TooManyUnauthenticatedFromAddress or DisconnectReason.LockedOut
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

    private sealed class HelloSerializer : IMessageSerializer<HelloMessage>
    {
        public string Name => "hello";

        public void Serialize(in HelloMessage value, MessageBuffer buffer) => value.Write(buffer);

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out HelloMessage value)
        {
            value = HelloMessage.TryRead(payload);
            return value is not null;
        }
    }
}
