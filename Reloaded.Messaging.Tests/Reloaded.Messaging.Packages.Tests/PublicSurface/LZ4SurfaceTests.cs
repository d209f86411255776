using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class LZ4SurfaceTests
{
    [Fact]
    public void Assembly_shows_approved_surface() => ApprovedSurface.Assert(typeof(LZ4Compressor).Assembly);
}
