using Reloaded.Messaging.Games;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class GamesSurfaceTests
{
    [Fact]
    public void Public_surface_is_the_approved_one() => ApprovedSurface.Assert(typeof(TickLoop).Assembly);
}
