using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Tapping;

public sealed class TapAllocationTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Send_allocates_nothing(bool isTapped)
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"tap-{Guid.NewGuid():N}"), server => server.On((in Ping _, Peer _) => { }));
        long bytes = 0;
        if (isTapped)
            hosts.Client.Tap((in TappedMessage message) => bytes += message.Payload.Length);

        Assert.Equal(0, Allocation.OfThousand(() => hosts.Client.Send(new Ping(1))));
        Assert.Equal(isTapped, bytes > 0);
    }
}
