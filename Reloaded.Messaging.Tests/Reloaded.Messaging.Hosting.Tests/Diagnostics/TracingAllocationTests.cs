using System;
using System.Threading.Tasks;
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
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tracing-{Guid.NewGuid():N}"), server => server.On((in Ping _, Peer _) => { }), options);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, null, options);

        Assert.Equal(0, Allocation.OfThousand(() => client.Send(new Ping(1))));
        Assert.Equal(0, Allocation.OfThousand(() => client.Server.GetStatistics()));
    }
}
