using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Tests.Compression;

public sealed class NativeLZ4MessageTests : LZ4MessageLaws
{
    private NativeLZ4Compressor? _compressor;

    protected override IMessageCompressor Compressor => _compressor ??= NativeLZ4.Create();
}
