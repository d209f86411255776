using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RemoteFaultTests(BrokerFixture broker)
{
    [Fact]
    public async Task Fault_of_an_inner_request_is_a_handler_failure_to_the_outer_requester()
    {
        const string Inner = "user=admin table=Accounts";
        await using var fleet = new Fleet(broker.Get());
        var back = await fleet.AddAsync(host => host.OnRequest<Question, Reply>((Question _) => throw new RequestFaultException(4711, Inner)));
        RabbitHost front = null!;
        front = await fleet.AddAsync(host => host.OnRequest(async (Question question, Origin _, CancellationToken canceled) =>
            await front.RequestAsync<Question, Reply>(back.Id, question, cancellationToken: canceled)));
        var failed = new TaskCompletionSource<RabbitFailure>(TaskCreationOptions.RunContinuationsAsynchronously);
        front.HandlerFailed += failed.SetResult;
        var lobby = await fleet.AddAsync();

        var result = await lobby.TryRequestAsync<Question, Reply>(front.Id, new Question(1)).AsTask().InTime();

        Assert.Equal((FaultCode.HandlerFailed, $"The handler of requests of type {MessageContract.GetDeclared<Question>().Type} failed."), (result.Fault!.Code, result.Fault.Message));
        var inner = Assert.IsType<RequestFaultException>((await failed.Task.InTime()).Exception);
        Assert.Equal((4711, Inner, true), (inner.Code, inner.Message, inner.IsRemote));
    }
}
