using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class LiteNetSurfaceTests
{
    [Fact]
    public void Assembly_shows_approved_surface() => ApprovedSurface.Assert(typeof(LiteNetTransport).Assembly);
}
