using System;
using System.Buffers.Binary;
using System.Globalization;
using System.Collections.Generic;
using RabbitMQ.Client;
using Reloaded.Messaging.Benchmarks.Hosts;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Publishing;

/// <summary>A message for the client library alone: the body and the properties that a host sends for <see cref="OneWayMessage"/>.</summary>
/// <remarks>One object serves all messages of a publisher, because the client has copied it before the first wait of a publication.</remarks>
public sealed class BareMessage
{
    private const int FirstValue = 1; // follows the type of the message

    private readonly byte[] _body;

    public BareMessage(DeliveryModes mode)
    {
        using var packed = new MessageWriter().Pack(new OneWayMessage(1, 2, 3));
        _body = packed.Span.ToArray();
        Properties = new BasicProperties
        {
            AppId = "host.0123456789ABCDEF",
            ContentType = "application/x-reloaded-messaging",
            DeliveryMode = mode,
            Type = _body[0].ToString(CultureInfo.InvariantCulture),
            Headers = mode == DeliveryModes.Persistent ? new Dictionary<string, object?>() : null, // with confirms, the client would otherwise create them for each message
        };
        Number = 1;
    }

    public BasicProperties Properties { get; }

    public ReadOnlyMemory<byte> Body => _body;

    /// <summary>The number of the message. Its first value is the same number.</summary>
    public long Number
    {
        get;
        set
        {
            field = value;
            Properties.Timestamp = new AmqpTimestamp(value);
            BinaryPrimitives.WriteInt64LittleEndian(_body.AsSpan(FirstValue), value);
        }
    }

    /// <summary>Reads the first value of a body.</summary>
    public static long Read(ReadOnlySpan<byte> body) => BinaryPrimitives.ReadInt64LittleEndian(body[FirstValue..]);

    /// <summary>Returns a delivery as text for comparisons, without the id of the sender and the number.</summary>
    public static string Describe(BasicGetResult delivery)
    {
        var properties = delivery.BasicProperties;
        return $"{properties.ContentType} {properties.Type} {properties.DeliveryMode}, sender of {properties.AppId?.Length} characters, {properties.Headers?.Count ?? 0} headers: {Convert.ToHexString(delivery.Body.Span)}";
    }
}
