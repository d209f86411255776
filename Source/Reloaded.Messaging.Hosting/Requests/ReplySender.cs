using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Sends the replies, faults and pongs of one connection. A remote side that does not read them is disconnected.</summary>
internal sealed class ReplySender(Connection connection, IConnectionOwner owner, HostResources host, RequestCounters counters, FifoExchange? fifo)
{
    // Replies may take twice the room of what is sent unasked. Past that the peer only asks and never reads, and to wait for it here while
    // it waits for us would be for ever.
    private readonly int _maxPending = (int)Math.Min(2L * host.Options.Limits.MaxPendingBytes, int.MaxValue);

    /// <summary>Sends a reply.</summary>
    /// <returns>The exception because of which there is no reply: it cannot be packed, or is too large. Otherwise, <c>null</c>.</returns>
    public Exception? TryReply<T>(MessageContract<T> contract, in T reply, uint correlationId)
    {
        PackedMessage packed;
        try
        {
            packed = connection.Pack(contract, in reply, MessageKind.Reply, correlationId);
        }
        catch (Exception e)
        {
            return e;
        }

        if (packed.Length <= connection.RemoteMaxMessageSize)
        {
            Send(packed, correlationId, contract.IsSecret);
            return null;
        }

        connection.Count(SendStatus.TooLarge);
        var tooLarge = new MessageTooLargeException(
            $"{contract.MessageType} takes {packed.Length} bytes; the other side accepts at most {connection.RemoteMaxMessageSize}. Send less at a time, or raise MaxMessageSize in the MessageLimits of the other side.",
            packed.Length,
            connection.RemoteMaxMessageSize);
        packed.Dispose();
        return tooLarge;
    }

    public void SendFault(uint type, uint correlationId, FaultCode code, string text)
    {
        counters.CountFaultSent();
        var header = new MessageHeader(type, MessageKind.Fault, connection.IsPlain ? 0 : correlationId);
        var payload = Fault.Write(code, text, Math.Min(host.Limits.MaxMessageSize, connection.MaxMessageSize));
        Send(host.Writer.PackRaw(header, payload), correlationId, isSecret: false);
    }

    /// <summary>Answers a ping.</summary>
    public void SendPong(ReadOnlySpan<byte> payload)
    {
        using var packed = ControlMessage.Pack(ControlCode.Pong, payload);
        EndIfFull(Append(packed.Span, isSecret: false));
    }

    private void Send(PackedMessage packed, uint correlationId, bool isSecret)
    {
        if (fifo is not null)
        {
            var status = fifo.Answer(correlationId, packed, isSecret, _maxPending, out var lacksTotal);
            while (lacksTotal && owner.EndLargestBacklog(connection.Outbox.ChargedBytes))
                status = fifo.SendAnswers(_maxPending, out lacksTotal);
            EndIfFull(connection.Count(status));
            return;
        }

        using (packed)
            EndIfFull(connection.Count(Append(packed.Span, isSecret)));
    }

    /// <summary>Appends an answer. While the host's pending bytes are used up, the connections that hold more of them than this one are ended.</summary>
    private SendStatus Append(ReadOnlySpan<byte> answer, bool isSecret)
    {
        var status = connection.Outbox.TryAppend(answer, isSecret, _maxPending, out var lacksTotal);
        while (lacksTotal && owner.EndLargestBacklog(connection.Outbox.ChargedBytes))
            status = connection.Outbox.TryAppend(answer, isSecret, _maxPending, out lacksTotal);
        return status;
    }

    private void EndIfFull(SendStatus status)
    {
        if (status == SendStatus.Full)
            connection.End(DisconnectReason.RepliesUnread);
    }
}
