using FsCheck;

namespace Reloaded.Messaging.Tests.Properties;

public sealed class RawPackingProperties : PackingProperties<ReadOnlyMemory<byte>>
{
    private protected override IMessageSerializer<ReadOnlyMemory<byte>> Serializer { get; } = new RawSerializer();

    private protected override Gen<ReadOnlyMemory<byte>> Values => Messages.Raw;

    private protected override bool AreEqual(ReadOnlyMemory<byte> left, ReadOnlyMemory<byte> right) => left.Span.SequenceEqual(right.Span);
}
