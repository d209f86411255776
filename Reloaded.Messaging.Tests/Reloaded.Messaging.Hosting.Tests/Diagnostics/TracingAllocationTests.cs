using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>A listener of another test would create spans, so nothing else may run.</summary>
[Quiet]
public sealed class TracingAllocationTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Send_without_listener_allocates_nothing(bool carries)
    {
        var options = new MessageHostOptions { CarriesTraceContext = carries };
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"tracing-{Guid.NewGuid():N}"), server => server.On((in Ping _, Peer _) => { }), options: options);

        Assert.Equal(0, Allocation.OfThousand(() => hosts.Client.Send(new Ping(1))));
        Assert.Equal(0, Allocation.OfThousand(() => hosts.Client.Server.GetStatistics()));
    }
}
