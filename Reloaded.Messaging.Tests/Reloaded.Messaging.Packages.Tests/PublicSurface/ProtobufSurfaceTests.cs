using Reloaded.Messaging.Serialization.Protobuf;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class ProtobufSurfaceTests
{
    [Fact]
    public void Assembly_shows_approved_surface() => ApprovedSurface.Assert(typeof(ProtobufSerializer<>).Assembly);
}
