using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Tests.PeerProcess;

/// <summary>The span in which a request was handled. Its contract is not generated, so the schema for the clients in other languages does not contain it.</summary>
public sealed record SpanIds(string TraceId, string SpanId, string ParentSpanId, string State)
{
    /// <summary>The contract.</summary>
    public static MessageContract<SpanIds> Contract { get; } = new(26, new Serializer());

    private sealed class Serializer : IMessageSerializer<SpanIds>
    {
        public string Name => "span-ids";

        public void Serialize(in SpanIds value, MessageBuffer buffer)
        {
            buffer.WriteString(value.TraceId);
            buffer.WriteString(value.SpanId);
            buffer.WriteString(value.ParentSpanId);
            buffer.WriteString(value.State);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out SpanIds value)
        {
            var reader = new PayloadReader(payload);
            value = reader.TryReadRequiredString(out var trace) && reader.TryReadRequiredString(out var span) && reader.TryReadRequiredString(out var parent) && reader.TryReadRequiredString(out var state)
                ? new SpanIds(trace, span, parent, state)
                : null;
            return value is not null;
        }
    }
}
