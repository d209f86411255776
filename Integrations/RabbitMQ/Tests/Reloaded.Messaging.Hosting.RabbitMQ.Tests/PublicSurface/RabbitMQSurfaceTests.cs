using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class RabbitMQSurfaceTests
{
    [Fact]
    public void The_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(RabbitHost).Assembly);
}
