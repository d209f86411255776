using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

[Quiet] // the standard error belongs to the process
public sealed class PumpStallTests
{
    [Fact]
    public async Task First_stall_without_a_subscriber_is_written_to_the_standard_error()
    {
        var written = new StandardError();
        using (written)
        {
            var options = new MessageHostOptions { IsPumped = true, RequestTimeout = TimeSpan.FromMilliseconds(100) };
            await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static server => server.On((in Ping _, Peer _) => { }), options);
            await using var client = await MessageHost.ConnectAsync(server.Endpoint);
            for (var stall = 1; stall <= 2; stall++)
            {
                client.Send(new Ping(stall));
                await Signal.UntilAsync(() => server.GetStatistics().PumpStalls == stall);
                await Deadline.RunAside(() => server.Pump()).InTime();
                await Signal.UntilAsync(() => !server.IsPumpStalled);
            }
        }

        Assert.Equal(2, written.ToString().Split("1 messages wait, and Pump was not called for").Length);
    }

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
