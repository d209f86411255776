using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>The payload of the library message that carries the trace context of the message after it.</summary>
internal sealed class TraceContext(uint messageType, uint correlationId, byte[] parent, byte[] state)
{
    /// <summary>The type of the message to which the context belongs.</summary>
    public readonly uint MessageType = messageType;

    /// <summary>The correlation id of a request; 0 for an event.</summary>
    public readonly uint CorrelationId = correlationId;

    /// <summary>The trace id (16 bytes), the span id (8 bytes) and the flags (1 byte), as in the header <c>traceparent</c> of W3C Trace Context.</summary>
    public readonly byte[] Parent = parent;

    /// <summary>The value of <c>tracestate</c>: printable ASCII, at most <see cref="MaxState"/> bytes.</summary>
    public readonly byte[] State = state;

    /// <summary>The id of the message.</summary>
    public const uint Type = 0xFFFF0000;

    /// <summary>The maximum size of <see cref="State"/>, in bytes. A larger state is not sent.</summary>
    public const int MaxState = 512;

    public const int TraceIdSize = 16;
    public const int SpanIdSize = 8;
    public const int ParentSize = TraceIdSize + SpanIdSize + 1;

    private static readonly byte[] s_zero = new byte[TraceIdSize];

    /// <summary>The contract, which a host announces if it reads trace contexts.</summary>
    public static readonly MessageContract<TraceContext> Contract = new(Type, new Serializer());

    /// <returns>The context; <c>null</c> if the payload is invalid.</returns>
    public static TraceContext? TryRead(ReadOnlySpan<byte> payload)
    {
        if (UVarint.TryRead(payload, out var type, out var size) != HeaderStatus.Ok)
            return null;
        payload = payload.Slice(size);
        if (UVarint.TryRead(payload, out var correlationId, out size) != HeaderStatus.Ok)
            return null;
        payload = payload.Slice(size);
        if (payload.Length is < ParentSize or > ParentSize + MaxState)
            return null;
        var state = payload.Slice(ParentSize);
        if (IsZero(payload.Slice(0, TraceIdSize)) || IsZero(payload.Slice(TraceIdSize, SpanIdSize)))
            return null;
        foreach (var character in state)
        {
            if (character is < 0x20 or > 0x7E)
                return null;
        }

        return new TraceContext(type, correlationId, payload.Slice(0, ParentSize).ToArray(), state.ToArray());
    }

    private static bool IsZero(ReadOnlySpan<byte> id) => id.SequenceEqual(s_zero.AsSpan(0, id.Length));

    private sealed class Serializer : IMessageSerializer<TraceContext>
    {
        public string Name => "trace-context";

        public void Serialize(in TraceContext value, MessageBuffer buffer)
        {
            buffer.WriteUVarint(value.MessageType);
            buffer.WriteUVarint(value.CorrelationId);
            buffer.WriteBlock<byte>(value.Parent);
            buffer.WriteBlock<byte>(value.State);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out TraceContext value)
        {
            value = TryRead(payload);
            return value is not null;
        }
    }
}
