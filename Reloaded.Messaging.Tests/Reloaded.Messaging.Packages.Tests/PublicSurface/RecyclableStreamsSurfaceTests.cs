using Reloaded.Messaging.RecyclableStreams;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class RecyclableStreamsSurfaceTests
{
    [Fact]
    public void Assembly_shows_approved_surface() => ApprovedSurface.Assert(typeof(MessageStreams).Assembly);
}
