using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Sends the replies, faults and pongs of one connection. Disconnects a remote side that does not read them.</summary>
internal sealed class ReplySender(Connection connection, Peer peer, HostResources host, RequestCounters counters)
{
    // The limit of replies is twice the limit of other messages. A peer that reaches it sends requests and never reads. Waiting for such a peer could be a
    // deadlock, because the peer may wait for this side.
    private readonly int _maxPending = (int)Math.Min(2L * host.Options.Limits.MaxPendingBytes, int.MaxValue);

    /// <summary>Sends a reply.</summary>
    /// <returns>The exception if the reply cannot be packed or is too large; otherwise, <c>null</c>.</returns>
    public Exception? TryReply<T>(MessageContract<T> contract, in T reply, uint correlationId)
    {
        peer.EndReports(correlationId);
        var failure = TryPack(contract, in reply, correlationId, out var packed);
        if (failure is null)
            Send(packed, contract.IsSecret);
        return failure;
    }

    /// <summary>Packs a reply.</summary>
    /// <param name="contract">The contract of the reply.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="correlationId">The id of the request.</param>
    /// <param name="packed">The packed reply, which <see cref="Send"/> releases.</param>
    /// <inheritdoc cref="TryReply" path="/returns"/>
    public Exception? TryPack<T>(MessageContract<T> contract, in T reply, uint correlationId, out PackedMessage packed)
    {
        packed = default;
        try
        {
            packed = connection.Sender.Pack(contract, in reply, MessageKind.Reply, correlationId);
        }
        catch (Exception e)
        {
            return e;
        }

        if (packed.Length <= connection.Sender.RemoteMaxMessageSize)
            return null;

        _ = connection.Sender.Count(SendStatus.TooLarge);
        var tooLarge = new MessageTooLargeException(
            $"{contract.MessageType} is {packed.Length} bytes; the remote side accepts at most {connection.Sender.RemoteMaxMessageSize}. Split the reply, or raise MessageLimits.MaxMessageSize on the remote side.",
            packed.Length,
            connection.Sender.RemoteMaxMessageSize);
        packed.Dispose();
        return tooLarge;
    }

    /// <summary>Sends a packed reply or fault, and releases it.</summary>
    public void Send(PackedMessage packed, bool isSecret)
    {
        using (packed)
            EndIfFull(connection.Sender.Count(Append(packed.Span, Delivery.ReliableOrdered, isSecret)));
    }

    /// <summary>Sends a reply that waits while the outbox is full, so that the remote side is not disconnected. The reply is smaller than a message to the remote side may be.</summary>
    public async ValueTask ReplyAsync<T>(MessageContract<T> contract, T reply, uint correlationId, Delivery delivery)
    {
        using var packed = connection.Sender.Pack(contract, in reply, MessageKind.Reply, correlationId);
        while (true)
        {
            var frame = new OutgoingFrame(packed.Span, contract.IsSecret) { Delivery = delivery };
            var status = connection.Outbox.Append(ref frame);
            if (status != SendStatus.Full)
            {
                _ = connection.Sender.Count(status);
                return;
            }

            await connection.Outbox.WaitForRoomAsync(packed.Length, delivery).ConfigureAwait(false);
        }
    }

    public void SendFault(uint type, uint correlationId, int code, string text) =>
        SendFault(type, correlationId, Fault.Write(code, text, Math.Min(host.Options.MessageLimits.MaxMessageSize, connection.Sender.MaxMessageSize)));

    /// <summary>Sends a fault.</summary>
    /// <param name="type">The type of the request.</param>
    /// <param name="correlationId">The id of the request.</param>
    /// <param name="fault">The result of <see cref="Fault.Write"/>.</param>
    public void SendFault(uint type, uint correlationId, byte[] fault)
    {
        peer.EndReports(correlationId);
        counters.CountFaultSent();
        Send(host.Writer.PackRaw(new MessageHeader(type, MessageKind.Fault, correlationId), fault), isSecret: false);
    }

    /// <summary>Replies to a ping.</summary>
    public void SendPong(ReadOnlySpan<byte> payload)
    {
        using var packed = ControlMessage.Pack(ControlCode.Pong, payload);
        EndIfFull(Append(packed.Span, ControlCode.DeliveryOf(ControlCode.Pong, payload.Length), isSecret: false));
    }

    /// <summary>Appends a reply. While the limit of the host's pending bytes is reached, disconnects the connections that hold more bytes than this connection.</summary>
    private SendStatus Append(ReadOnlySpan<byte> answer, Delivery delivery, bool isSecret)
    {
        var frame = new OutgoingFrame(answer, isSecret) { MaxPending = _maxPending, Delivery = delivery };
        var status = connection.Outbox.Append(ref frame);
        while (frame.LacksTotal && peer.Host.Registry.EndLargestBacklog(connection.Outbox.ChargedBytes))
            status = connection.Outbox.Append(ref frame);
        return status;
    }

    private void EndIfFull(SendStatus status)
    {
        if (status == SendStatus.Full)
            connection.End(DisconnectReason.RepliesUnread);
    }
}
