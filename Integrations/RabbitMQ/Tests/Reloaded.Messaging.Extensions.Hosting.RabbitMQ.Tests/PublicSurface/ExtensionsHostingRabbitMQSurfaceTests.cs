using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class ExtensionsHostingRabbitMQSurfaceTests
{
    [Fact]
    public void The_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(RabbitHostBuilder).Assembly);
}
