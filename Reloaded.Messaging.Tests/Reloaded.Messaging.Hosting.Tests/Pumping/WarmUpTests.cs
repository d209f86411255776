using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

public sealed class WarmUpTests
{
    [Fact]
    public async Task WarmUpAsync_called_twice_at_once_completes()
    {
        var first = MessageHost.WarmUpAsync();
        var second = MessageHost.WarmUpAsync();

        await first.InTime();
        await second.InTime();
    }
}
