namespace Reloaded.Messaging.Tests.Packing;

/// <summary>Asks for room anew for every single byte.</summary>
internal sealed class DrippingSerializer : IMessageSerializer<ReadOnlyMemory<byte>>
{
    public string Name => "drip";

    public void Serialize(in ReadOnlyMemory<byte> value, MessageBuffer buffer)
    {
        foreach (var part in value.Span)
        {
            buffer.GetSpan(1)[0] = part;
            buffer.Advance(1);
        }
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out ReadOnlyMemory<byte> value)
    {
        value = payload.ToArray();
        return true;
    }
}
