using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class RabbitMQSurfaceTests
{
    [Fact]
    public void The_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(RabbitHost).Assembly);

    [Fact]
    public void Arguments_of_events_and_statistics_print_their_values() => LoggedTypes.AssertPrinted(typeof(RabbitHost).Assembly);
}
