using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Benchmarks.Game.Flood;

/// <summary>Random bytes under a message type that the server knows.</summary>
public sealed class Noise : IMessageSerializer<byte[]>
{
    public string Name => "noise";

    public void Serialize(in byte[] value, MessageBuffer buffer) => buffer.Write(value);

    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out byte[] value)
    {
        value = payload.ToArray();
        return true;
    }
}
