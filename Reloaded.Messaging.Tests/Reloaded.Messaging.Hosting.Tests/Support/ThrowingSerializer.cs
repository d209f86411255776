using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A serializer with a fault: it throws, where it should say false or write.</summary>
internal sealed class ThrowingSerializer<T>(bool onWrite) : IMessageSerializer<T>
{
    public string Name => "throwing";

    public void Serialize(in T value, MessageBuffer buffer)
    {
        if (onWrite)
            throw new InvalidOperationException("from the serializer");
        buffer.WriteUVarint(1);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value) =>
        throw new InvalidOperationException("from the serializer");
}
