using System.Collections.Concurrent;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>Filters around handlers of a host over RabbitMQ.</summary>
public sealed class HandlerFilterTests(BrokerFixture broker)
{
    [Fact]
    public async Task Filter_surrounds_events_and_requests_and_sees_their_origin()
    {
        var calls = new ConcurrentQueue<string>();
        var handled = Signal.New<int>();
        await using var fleet = new Fleet(broker.Get());
        var receiver = await fleet.AddAsync(host =>
        {
            host.AddFilter(async call =>
            {
                calls.Enqueue($"{call.Contract.MessageType.Name} {(call.TryGetFrom(out Origin from) ? from.Topic : "no origin")} {call.Peer is null}");
                if (call.TryGetMessage(out Question question) && question.Number < 0)
                    throw new RequestFaultException(1001, "negative");
                await call.NextAsync();
            });
            host.OnRequest((Question question) => new Reply(question.Number, 1));
            host.On((Reply reply) => handled.TrySetResult(reply.Number));
        });
        await receiver.SubscribeAsync("replies");
        var sender = await fleet.AddAsync();

        Assert.Equal(new Reply(3, 1), await sender.RequestAsync<Question, Reply>(receiver.Id, new Question(3)));
        Assert.Equal(1001, (await sender.TryRequestAsync<Question, Reply>(receiver.Id, new Question(-3))).Fault?.Code);
        sender.Publish("replies", new Reply(7, 0));

        Assert.Equal(7, await handled.Task.InTime());
        Assert.Equal([$"Question {receiver.Id} True", $"Question {receiver.Id} True", "Reply replies True"], calls);
    }
}
