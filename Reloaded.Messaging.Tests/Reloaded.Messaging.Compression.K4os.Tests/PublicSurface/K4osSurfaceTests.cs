using Reloaded.Messaging.Compression.K4os;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class K4osSurfaceTests
{
    [Fact]
    public void Assembly_shows_approved_surface() => ApprovedSurface.Assert(typeof(K4osCompressor).Assembly);
}
