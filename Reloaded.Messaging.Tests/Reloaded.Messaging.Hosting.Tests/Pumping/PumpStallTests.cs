using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

public sealed class PumpStallTests
{
    [Fact]
    public async Task Host_that_is_not_pumped_while_messages_wait_says_so_once_until_it_is_pumped_again()
    {
        var (first, second) = (Signal.New<PumpStall>(), Signal.New<PumpStall>());
        var options = new MessageHostOptions { IsPumped = true, RequestTimeout = TimeSpan.FromMilliseconds(200) };
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.On((in Ping _, Peer _) => { });
                server.PumpStalled += stall => _ = first.TrySetResult(stall) || second.TrySetResult(stall);
            },
            options);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        Assert.Equal(0, server.GetStatistics().PumpStalls);

        client.Send(new Ping(1));
        Assert.Equal(1, (await first.Task.InTime()).Messages);
        Assert.Equal(1, server.GetStatistics().PumpStalls);
        Assert.True(server.IsPumpStalled);
        await Deadline.RunAside(() => server.Pump()).InTime();
        await Signal.UntilAsync(() => !server.IsPumpStalled);
        Assert.False(second.Task.IsCompleted);
        client.Send(new Ping(2));

        Assert.True((await second.Task.InTime()).Waited >= options.RequestTimeout);
        Assert.Equal(2, server.GetStatistics().PumpStalls);
    }
}
