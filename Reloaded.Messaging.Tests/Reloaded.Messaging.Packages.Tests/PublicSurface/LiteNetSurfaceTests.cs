using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class LiteNetSurfaceTests
{
    [Fact]
    public void Assembly_shows_approved_surface() => ApprovedSurface.Assert(typeof(LiteNetTransport).Assembly);

    [Fact]
    public void Defaults_are_those_of_their_texts() => DocumentedDefaults.Assert(typeof(LiteNetTransport).Assembly);

    [Fact]
    public void Arguments_of_events_and_statistics_print_their_values() => LoggedTypes.AssertPrinted(typeof(CompatibleHost).Assembly);
}
