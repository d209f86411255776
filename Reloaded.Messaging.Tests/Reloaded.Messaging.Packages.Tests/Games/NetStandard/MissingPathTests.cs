using Reloaded.Messaging.Games;
using Xunit;

namespace Reloaded.Messaging.Tests.Paths;

public sealed class MissingPathTests
{
    [Fact]
    public void Path_needs_another_build()
    {
        var missing = Assert.Throws<PlatformNotSupportedException>(static () => MessageEndpoint.Udp(5000).WithPath(new NetworkPath { Loss = 0.1 }));
        Assert.Equal("udp://127.0.0.1:5000 cannot take a NetworkPath in the netstandard2.1 build of the library. Use the build for .NET 8 or later.", missing.Message);
    }
}
