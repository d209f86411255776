using Reloaded.Messaging.RecyclableStreams;
using Reloaded.Messaging.Tests.PublicSurface;
using Xunit;

namespace Reloaded.Messaging.Tests.RecyclableStreams;

public sealed class RecyclableStreamsSurfaceTests
{
    [Fact]
    public void The_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(MessageStreams).Assembly);
}
