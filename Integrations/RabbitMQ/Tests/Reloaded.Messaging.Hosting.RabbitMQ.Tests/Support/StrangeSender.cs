using System;
using System.Collections.Generic;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Properties whose sender is 200 bytes that are no UTF-8: AMQP takes them, and read as text they are a name of 600 bytes.</summary>
internal sealed class StrangeSender : IReadOnlyBasicProperties, IAmqpHeader
{
    private const int Size = 200;

    public ushort ProtocolClassId => 60; // "basic"

    public string? AppId => null;

    public string? ClusterId => null;

    public string? ContentEncoding => null;

    public string? ContentType => null;

    public string? CorrelationId => null;

    public string? Expiration => null;

    public string? MessageId => null;

    public string? ReplyTo => null;

    public string? Type => null;

    public string? UserId => null;

    public DeliveryModes DeliveryMode => DeliveryModes.Transient;

    public IDictionary<string, object?>? Headers => null;

    public bool Persistent => false;

    public byte Priority => 0;

    public PublicationAddress? ReplyToAddress => null;

    public AmqpTimestamp Timestamp => default;

    public int GetRequiredBufferSize() => 3 + Size;

    public int WriteTo(Span<byte> span)
    {
        (span[0], span[1], span[2]) = (0, 0b1000, Size); // of the fourteen properties the app-id alone
        span.Slice(3, Size).Fill(0xFF);
        return 3 + Size;
    }

    public bool IsAppIdPresent() => true;

    public bool IsClusterIdPresent() => false;

    public bool IsContentEncodingPresent() => false;

    public bool IsContentTypePresent() => false;

    public bool IsCorrelationIdPresent() => false;

    public bool IsExpirationPresent() => false;

    public bool IsMessageIdPresent() => false;

    public bool IsReplyToPresent() => false;

    public bool IsTypePresent() => false;

    public bool IsUserIdPresent() => false;

    public bool IsDeliveryModePresent() => false;

    public bool IsHeadersPresent() => false;

    public bool IsPriorityPresent() => false;

    public bool IsTimestampPresent() => false;
}
