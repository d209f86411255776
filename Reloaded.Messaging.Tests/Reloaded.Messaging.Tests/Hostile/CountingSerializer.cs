using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>Counts the payloads that get as far as another serializer.</summary>
internal sealed class CountingSerializer<T>(IMessageSerializer<T> inner, ReadCounter counter) : IMessageSerializer<T>
{
    public string Name => inner.Name;

    public void Serialize(in T value, MessageBuffer buffer) => inner.Serialize(in value, buffer);

    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value)
    {
        counter.Reads++;
        return inner.TryDeserialize(payload, out value);
    }
}
