using Reloaded.Messaging.Extensions.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.PublicSurface;

public sealed class ExtensionsHostingSurfaceTests
{
    [Fact]
    public void The_assembly_shows_what_was_approved() => ApprovedSurface.Assert(typeof(MessageHostBuilder).Assembly);
}
