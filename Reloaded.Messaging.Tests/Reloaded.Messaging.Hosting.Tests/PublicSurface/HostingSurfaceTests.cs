using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class HostingSurfaceTests
{
    [Fact]
    public void The_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(MessageHost).Assembly);

    [Fact]
    public void Defaults_are_those_of_their_texts() => DocumentedDefaults.Assert(typeof(MessageHost).Assembly);

    [Fact]
    public void Arguments_of_events_and_statistics_print_their_values() => LoggedTypes.AssertPrinted(typeof(MessageHost).Assembly);
}
