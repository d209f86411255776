using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Tests.Compression;

public sealed class LZ4MessageTests : LZ4MessageLaws
{
    protected override IMessageCompressor Compressor { get; } = new LZ4Compressor();
}
