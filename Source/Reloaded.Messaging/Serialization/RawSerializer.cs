namespace Reloaded.Messaging;

/// <summary>Sends bytes unchanged.</summary>
/// <remarks>
/// Reading copies the payload into a new array. A <see cref="RawMessageHandler{TState}"/> reads it in place instead.
/// </remarks>
public sealed class RawSerializer : IMessageSerializer<ReadOnlyMemory<byte>>
{
    /// <inheritdoc/>
    public string Name => "raw";

    /// <inheritdoc/>
    public void Serialize(in ReadOnlyMemory<byte> value, MessageBuffer buffer) => buffer.Write(value.Span);

    /// <inheritdoc/>
    public bool TryDeserialize(ReadOnlySpan<byte> payload, out ReadOnlyMemory<byte> value)
    {
        value = payload.ToArray();
        return true;
    }
}
