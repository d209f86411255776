namespace Reloaded.Messaging.Hosting;

/// <summary>Serializes blocks: a byte that is 1 at the end of the stream, then the bytes of the block.</summary>
/// <param name="isSecret">Whether to zero the array of a block that was written.</param>
internal sealed class StreamBlockSerializer(bool isSecret) : IMessageSerializer<StreamBlock>
{
    private const byte More = 0;
    private const byte End = 1;

    public string Name => "stream-block";

    /// <remarks>Returns the array of the block, because a block is sent once.</remarks>
    public void Serialize(in StreamBlock value, MessageBuffer buffer)
    {
        var bytes = buffer.GetSpan(1 + value.Length);
        bytes[0] = value.IsEnd ? End : More;
        value.Memory.Span.CopyTo(bytes.Slice(1));
        buffer.Advance(1 + value.Length);
        value.Return(isSecret);
    }

    public bool TryDeserialize(ReadOnlySpan<byte> payload, out StreamBlock value)
    {
        value = default;
        switch (payload)
        {
            case [End]:
                value = StreamBlock.End;
                return true;
            case [More or End, _, ..]:
                value = StreamBlock.Copy(payload.Slice(1), payload[0] == End);
                return true;
            default:
                return false;
        }
    }
}
