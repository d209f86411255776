using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>A fault that another peer sent is not an answer of the handler that asked.</summary>
public sealed class RemoteFaultTests
{
    private const string Inner = "user=admin table=Accounts";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Fault_of_an_inner_request_is_a_handler_failure_to_the_outer_requester(bool isPumped)
    {
        var failed = Signal.New<HandlerFailure>();
        await using var back = await ListenAsBackAsync();
        await using var toBack = await MessageHost.ConnectAsync(back.Endpoint);
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.HandlerFailed += failed.SetResult;
                server.OnRequest<Ping, Pong>(async (ping, _, token) => await toBack.RequestAsync<Ping, Pong>(ping, cancellationToken: token));
            },
            serverOptions: new MessageHostOptions { IsPumped = isPumped });

        var asking = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        if (isPumped)
        {
            await Signal.UntilAsync(() =>
            {
                hosts.Server.Pump();
                return asking.IsCompleted;
            });
        }

        var fault = (await asking.InTime()).Fault!;
        Assert.Equal((FaultCode.HandlerFailed, "The handler of Ping failed."), (fault.Code, fault.Message));
        Assert.True(fault.IsRemote);
        var inner = Assert.IsType<RequestFaultException>((await failed.Task.InTime()).Exception);
        Assert.Equal((4711, Inner, true), (inner.Code, inner.Message, inner.IsRemote));
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task Fault_of_an_inner_request_does_not_reach_a_peer_that_logs_in()
    {
        await using var back = await ListenAsBackAsync();
        await using var toBack = await MessageHost.ConnectAsync(back.Endpoint);
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
            server.OnAuthenticate<Ping, Pong>(async (ping, _, token) => await toBack.RequestAsync<Ping, Pong>(ping, cancellationToken: token)));

        var fault = (await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime()).Fault!;

        Assert.Equal((FaultCode.HandlerFailed, "The credentials could not be checked."), (fault.Code, fault.Message));
        await Signal.UntilAsync(() => hosts.Server.GetStatistics().HandlerFailures == 1);
    }

    [Fact]
    public void Fault_that_this_process_created_is_not_remote() =>
        Assert.False(new RequestFaultException(4711, Inner).IsRemote);

    private static Task<MessageServer> ListenAsBackAsync() => MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        server.OnRequest<Ping, Pong>(_ => throw new RequestFaultException(4711, Inner)));
}
