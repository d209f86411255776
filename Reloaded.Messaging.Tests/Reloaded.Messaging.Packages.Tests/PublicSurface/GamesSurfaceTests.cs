using Reloaded.Messaging.Games;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class GamesSurfaceTests
{
    [Fact]
    public void Public_surface_is_the_approved_one() => ApprovedSurface.Assert(typeof(TickLoop).Assembly);

    [Fact]
    public void Defaults_are_those_of_their_texts() => DocumentedDefaults.Assert(typeof(TickLoop).Assembly);

    [Fact]
    public void Arguments_of_events_and_statistics_print_their_values() => LoggedTypes.AssertPrinted(typeof(TickLoop).Assembly);
}
