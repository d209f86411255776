using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>Handlers with explicit contracts.</summary>
public sealed class ContractHandlerTests(BrokerFixture broker)
{
    private static readonly MessageContract<Question> s_event = new(90, new BlittableSerializer<Question>());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Event_is_handled(bool isAsync)
    {
        var handled = Signal.New<int>();
        await using var fleet = new Fleet(broker.Get());
        var receiver = await fleet.AddAsync(host => _ = isAsync
            ? host.On(s_event, async (question, _, token) =>
            {
                await Task.Yield();
                handled.SetResult(question.Number);
            })
            : host.On(s_event, (in Question question, Origin _) => handled.SetResult(question.Number)));
        await receiver.SubscribeAsync("questions");
        var sender = await fleet.AddAsync();

        Assert.Equal(SendStatus.Sent, sender.Publish("questions", s_event, new Question(3)));

        Assert.Equal(3, await handled.Task.InTime());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Request_is_replied_to(bool isAsync)
    {
        var (question, reply) = (MessageContract.GetDeclared<Question>(), MessageContract.GetDeclared<Reply>());
        await using var fleet = new Fleet(broker.Get());
        var server = await fleet.AddAsync(host => _ = isAsync
            ? host.OnRequest(question, reply, async (question, _, token) =>
            {
                await Task.Yield();
                return new Reply(question.Number, 1);
            })
            : host.OnRequest(question, reply, (in Question question, Origin _) => new Reply(question.Number, 1)));
        var sender = await fleet.AddAsync();

        Assert.Equal(new Reply(3, 1), await sender.RequestAsync<Question, Reply>(server.Id, new Question(3)));
    }

    [Fact]
    public async Task Missing_contract_and_handler_are_refused()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        var (question, reply) = (MessageContract.GetDeclared<Question>(), MessageContract.GetDeclared<Reply>());

        Assert.Throws<ArgumentNullException>(() => host.On(null!, (in Question _, Origin _) => { }));
        Assert.Throws<ArgumentNullException>(() => host.On(question, (Func<Question, Origin, CancellationToken, ValueTask>)null!));
        Assert.Throws<ArgumentNullException>(() => host.OnRequest(question, null!, (in Question _, Origin _) => default(Reply)));
        Assert.Throws<ArgumentNullException>(() => host.OnRequest(question, reply, (AsyncRequestHandler<Question, Reply, Origin>)null!));
    }
}
