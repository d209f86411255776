using System.Text;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>Packs other messages while it serializes one, and sends them as its payload.</summary>
internal sealed class NestingSerializer(MessageWriter writer) : IMessageSerializer<int>
{
    public string Name => "nesting";

    public void Serialize(in int value, MessageBuffer buffer)
    {
        buffer.Write("before "u8);
        for (var i = 0; i < value; i++)
        {
            using var inner = writer.Pack(PackingContracts.Text, $"inner {i} ");
            buffer.Write(inner.Span.Slice(1));
        }

        buffer.Write("after"u8);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value)
    {
        value = Encoding.UTF8.GetString(payload).Split("inner").Length - 1;
        return true;
    }
}
