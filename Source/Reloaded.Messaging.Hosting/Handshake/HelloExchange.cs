using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Buffers;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting.Channels;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Packing;
using Reloaded.Messaging.Serialization;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting.Handshake;

/// <summary>Turns a stranger into a peer: hello, proof, and the comparison of contracts. Both sides do the same.</summary>
internal static class HelloExchange
{
    private static readonly MessageContract<HelloMessage> s_contract = new(ControlCode.Hello, new HelloSerializer());

    // Of its own: how large a program's messages may be says nothing of the hello.
    private static readonly MessageWriter s_writer = new(new MessageLimits { MaxMessageSize = HelloMessage.MaxSize });

    /// <returns>Null when the peer may go on; otherwise why not.</returns>
    public static async Task<DisconnectReason?> RunAsync(MessageHost host, Peer peer, IReadOnlyCollection<MessageContract> contracts)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(peer.Ended);
        timeout.CancelAfter(host.Options.Limits.HandshakeTimeout);
        try
        {
            var ours = HelloMessage.Create(host.Options, contracts);
            using (var packed = s_writer.Pack(s_contract, ours, MessageKind.Control, 0))
                peer.Outbox.TryAppend(packed.Span, isSecret: false);

            var (theirs, reason) = await ReceiveHelloAsync(peer, timeout.Token).ConfigureAwait(false);
            if (theirs is null)
                return reason;
            if (theirs.HasToken != ours.HasToken)
                return await RefuseAsync(peer, DisconnectReason.WrongToken).ConfigureAwait(false);
            if (ours.HasToken && await ExchangeProofsAsync(host, peer, ours, theirs, timeout.Token).ConfigureAwait(false) is { } refused)
                return await RefuseAsync(peer, refused).ConfigureAwait(false);
            if (FindMismatch(host, peer, theirs, contracts) && !host.Options.AcceptsOtherContracts)
                return await RefuseAsync(peer, DisconnectReason.WrongContract).ConfigureAwait(false);
            return null;
        }
        catch (OperationCanceledException)
        {
            return peer.Disconnected ?? DisconnectReason.HandshakeTimeout;
        }
        catch (ChannelClosedException)
        {
            return DisconnectReason.ConnectionLost;
        }
    }

    private static async Task<DisconnectReason> RefuseAsync(Peer peer, DisconnectReason reason)
    {
        await peer.DisconnectAsync(reason, awaitsEnd: false).ConfigureAwait(false); // so that the other side hears that it was refused, and not only sees the end
        return reason;
    }

    private static async Task<(HelloMessage? Hello, DisconnectReason Reason)> ReceiveHelloAsync(Peer peer, CancellationToken cancellationToken)
    {
        while (true)
        {
            switch (peer.Reader.TryRead(out var message))
            {
                case FrameStatus.Ok:
                    if (!IsControl(message, ControlCode.Hello, out var payload))
                        return (null, IsControl(message, ControlCode.Goodbye, out _) ? DisconnectReason.Goodbye : DisconnectReason.NotAPeer);
                    if (HelloMessage.TryRead(payload) is not { } hello)
                        return (null, DisconnectReason.NotAPeer);
                    return hello.ProtocolVersion == HelloMessage.Version ? (hello, default) : (null, DisconnectReason.WrongVersion);
                case FrameStatus.Incomplete:
                    if (!await peer.Reader.FillAsync(cancellationToken).ConfigureAwait(false))
                        return (null, DisconnectReason.ConnectionLost);
                    break;
                default:
                    return (null, DisconnectReason.NotAPeer);
            }
        }
    }

    private static async Task<DisconnectReason?> ExchangeProofsAsync(MessageHost host, Peer peer, HelloMessage ours, HelloMessage theirs, CancellationToken cancellationToken)
    {
        var token = host.Options.Token;
        var isServer = host is MessageServer;
        peer.SendControl(ControlCode.Hello, TokenProof.Make(token.Span, isServer, ours.Nonce, theirs.Nonce));
        var expected = TokenProof.Make(token.Span, !isServer, theirs.Nonce, ours.Nonce);
        while (true)
        {
            switch (peer.Reader.TryRead(out var message))
            {
                case FrameStatus.Ok:
                    if (IsControl(message, ControlCode.Goodbye, out _))
                        return DisconnectReason.Goodbye;
                    return IsControl(message, ControlCode.Hello, out var proof) && TokenProof.IsRight(proof, expected) ? null : DisconnectReason.WrongToken;
                case FrameStatus.Incomplete:
                    if (!await peer.Reader.FillAsync(cancellationToken).ConfigureAwait(false))
                        return DisconnectReason.ConnectionLost;
                    break;
                default:
                    return DisconnectReason.NotAPeer;
            }
        }
    }

    private static bool FindMismatch(MessageHost host, Peer peer, HelloMessage theirs, IReadOnlyCollection<MessageContract> contracts)
    {
        var found = false;
        foreach (var ours in contracts)
        {
            if (theirs.Contracts.Find(known => known.Type == ours.Type)?.FindMismatch(ours) is not { } mismatch)
                continue;
            host.ReportMismatch(peer, mismatch);
            found = true;
        }

        return found;
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
