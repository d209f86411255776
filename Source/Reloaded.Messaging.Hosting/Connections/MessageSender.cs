using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Packs the messages to one peer, and appends them to the outbox if the limits and the contracts of both sides allow it.</summary>
/// <param name="channel">The channel of the connection.</param>
/// <param name="host">The objects that all connections of the host share.</param>
/// <param name="connection">The connection that has the outbox.</param>
internal sealed class MessageSender(TransportChannel channel, HostResources host, Connection connection)
{
    private readonly DatagramChannel? _datagrams = channel as DatagramChannel;
    private readonly int _channelMaxMessageSize = (channel as DatagramChannel)?.MaxMessageSize ?? int.MaxValue;
    private readonly int _channelMaxReliableSize = (channel as DatagramChannel)?.MaxReliableMessageSize ?? int.MaxValue;

    /// <summary>The maximum size of a message that the remote side accepts, in bytes.</summary>
    public int RemoteMaxMessageSize = int.MaxValue;

    /// <summary>The maximum size of a message that can be sent with every delivery, in bytes.</summary>
    public int MaxMessageSize => Math.Min(RemoteMaxMessageSize, _channelMaxMessageSize);

    /// <summary>The maximum size of a reliable message, in bytes.</summary>
    public int MaxReliableMessageSize => Math.Min(RemoteMaxMessageSize, _channelMaxReliableSize);

    /// <summary>Whether the remote side reads the trace contexts of messages, and this side sends them.</summary>
    public bool CarriesTraceContext;

    /// <summary>The number of messages that were not sent on this connection, by status.</summary>
    public readonly Counters<SendStatus> Sends = new();

    /// <summary>Packs a message, and checks its size against the limits of this side.</summary>
    /// <exception cref="MessageTooLargeException">Thrown when the message exceeds a limit of this host or of the transport.</exception>
    public PackedMessage Pack<T>(MessageContract<T> contract, in T message, MessageKind kind = MessageKind.Event, uint correlationId = 0)
    {
        var packed = kind == MessageKind.Event ? host.Writer.Pack(contract, in message) : host.Writer.Pack(contract, in message, kind, correlationId);
        return packed.Length <= MaxMessageSize ? packed : CheckedLarge(contract, packed);
    }

    /// <summary>Packs a request, and checks its size against the limits of this side.</summary>
    /// <param name="contract">The contract of <typeparamref name="T"/>, or of the object that is passed as an interface.</param>
    /// <param name="request">The request.</param>
    /// <param name="correlationId">The id of the request.</param>
    /// <inheritdoc cref="Pack" path="/exception"/>
    public PackedMessage PackRequest<T>(MessageContract contract, in T request, uint correlationId)
    {
        if (contract is MessageContract<T> known)
            return Pack(known, in request, MessageKind.Request, correlationId);
        var packed = host.Writer.PackObject(contract, request!, MessageKind.Request, correlationId);
        return packed.Length <= MaxMessageSize ? packed : CheckedLarge(contract, packed);
    }

    /// <summary>Packs an event, and sends it unless the remote side does not accept its contract or its size. Counts an event that was not sent.</summary>
    /// <param name="contract">The contract.</param>
    /// <param name="message">The event.</param>
    /// <param name="isLast">Whether the caller does not send the event again. Otherwise, the caller counts the last status.</param>
    /// <param name="size">The size of the packed event in bytes.</param>
    /// <inheritdoc cref="Pack" path="/exception"/>
    public SendStatus Send<T>(MessageContract<T> contract, in T message, bool isLast, out int size)
    {
        using var packed = host.Writer.Pack(contract, in message);
        var bytes = packed.Span;
        size = bytes.Length;
        if (size > MaxMessageSize)
            ThrowIfTooLarge(packed, contract.MessageType);
        var chain = default(FlushChain);
        var status = Append(contract, bytes, contract.IsSecret, MessageKind.Event, default, ref chain);
        if (!chain.IsEmpty)
            chain.Start();
        return isLast && status != SendStatus.Sent ? Count(status) : status;
    }

    /// <summary>Sends a message unless the remote side does not accept its contract or its size. Counts a message that was not sent.</summary>
    /// <param name="contract">The contract; <c>null</c> to not compare it.</param>
    /// <param name="packed">The message.</param>
    /// <param name="isLast">Whether the caller does not send the message again. Otherwise, the caller counts the last status.</param>
    /// <param name="kind">The kind of the message, if there is a contract.</param>
    /// <param name="context">The result of <see cref="PackTraceContext"/>.</param>
    public SendStatus Send(MessageContract? contract, PackedMessage packed, bool isLast, MessageKind kind = MessageKind.Event, ReadOnlySpan<byte> context = default)
    {
        var chain = default(FlushChain);
        var status = Append(contract, packed.Span, contract?.IsSecret ?? packed.IsSecret, kind, context, ref chain);
        if (!chain.IsEmpty)
            chain.Start();
        return isLast && status != SendStatus.Sent ? Count(status) : status;
    }

    /// <summary>Sends an event that was packed for many peers, unless this transport or the remote side does not accept it. Counts an event that was not sent.</summary>
    /// <inheritdoc cref="Send"/>
    public SendStatus SendShared(MessageContract contract, PackedMessage packed, ReadOnlySpan<byte> context, ref FlushChain chain) =>
        Count(packed.Length > GetMaxSize(packed) ? UnlessClosed(SendStatus.TooLarge) : Append(contract, packed.Span, contract.IsSecret, MessageKind.Event, context, ref chain));

    /// <summary>Returns the message with the trace context, which is sent directly before the message of the operation.</summary>
    /// <param name="operation">The operation; <c>null</c> for none.</param>
    /// <param name="type">The type of the message.</param>
    /// <param name="correlationId">The correlation id of a request; 0 for an event. The id identifies the message if the transport reorders messages. An event then has no context.</param>
    /// <returns>The message, or <c>null</c> if there is no context, or the remote side does not read it.</returns>
    public byte[]? PackTraceContext(MessageOperation? operation, uint type, uint correlationId)
    {
        if (operation is null || !CarriesTraceContext || (correlationId == 0 && _datagrams is not null))
            return null;
        var context = operation.PackContext(type, correlationId);
        return context?.Length <= MaxMessageSize ? context : null;
    }

    /// <summary>Returns the status of a message that cannot be sent: the reason, or that the connection is closed.</summary>
    public SendStatus UnlessClosed(SendStatus refusal) => connection.IsConnected && connection.State != ConnectionState.Closing ? refusal : SendStatus.Closed;

    /// <summary>Counts the status of a message that was not sent, once for each message.</summary>
    public SendStatus Count(SendStatus status)
    {
        if (status != SendStatus.Sent)
        {
            Sends.Add(status);
            host.Sends.Add(status);
        }

        return status;
    }

    /// <summary>Returns the delivery of the events of a type.</summary>
    public Delivery DeliveryOf(MessageContract contract) => connection.Outbox.Deliveries?.FindEvent(contract.Type, connection.Outbox.IsSequencedReadable) ?? default;

    /// <summary>Returns the delivery of a message, by its header.</summary>
    public Delivery DeliveryOf(PackedMessage packed) => connection.Outbox.Deliveries?.Find(packed.Span, connection.Outbox.IsSequencedReadable) ?? default;

    /// <summary>Throws if a message exceeds a limit of this side and of the transport.</summary>
    public void ThrowIfTooLarge(PackedMessage packed, Type? type)
    {
        var size = packed.Length;
        var most = GetMaxSize(packed);
        if (size > most)
            throw new MessageTooLargeException($"{type?.ToString() ?? "The message"} is {size} bytes; the transport to {channel.RemoteName} accepts at most {most}. {_datagrams!.MaxMessageSizeAdvice}", size, most);
    }

    /// <summary>Returns the maximum size that the transport carries of a message with the delivery of this message.</summary>
    private int GetMaxSize(PackedMessage packed) =>
        packed.Length > _channelMaxMessageSize && DeliveryOf(packed).Mode is DeliveryMode.ReliableOrdered or DeliveryMode.ReliableByType
            ? _channelMaxReliableSize
            : _channelMaxMessageSize;

    private SendStatus Append(MessageContract? contract, ReadOnlySpan<byte> message, bool isSecret, MessageKind kind, ReadOnlySpan<byte> context, ref FlushChain chain)
    {
        if (contract is not null && !connection.Contracts.Accepts(contract, message))
            return UnlessClosed(SendStatus.ContractMismatch);
        if (message.Length > RemoteMaxMessageSize)
            return UnlessClosed(SendStatus.TooLarge);
        if (!connection.AcceptsMessages)
            return SendStatus.Closed; // before the end of the handshake, the remote side would read the message as a part of the handshake and disconnect
        var frame = new OutgoingFrame(message, isSecret);
        frame.Before = context; // not in an initializer, which copies the frame
        if (contract is not null && _datagrams is not null)
            frame.Delivery = kind == MessageKind.Event ? DeliveryOf(contract) : Delivery.ReliableOrdered; // without reading the header, which this side wrote
        return connection.Outbox.Append(ref frame, ref chain);
    }

    private PackedMessage CheckedLarge(MessageContract contract, PackedMessage packed)
    {
        try
        {
            ThrowIfTooLarge(packed, contract.MessageType);
            return packed;
        }
        catch
        {
            packed.Dispose();
            throw;
        }
    }
}
