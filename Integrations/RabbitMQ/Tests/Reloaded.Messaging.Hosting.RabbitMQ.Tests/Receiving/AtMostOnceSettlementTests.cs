using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Receiving;

/// <summary>The broker closes a channel with a delivery that is not acknowledged for half an hour, and deletes the queue of the host with it.</summary>
public sealed class AtMostOnceSettlementTests(BrokerFixture broker)
{
    [Fact]
    public async Task Few_events_requests_and_replies_are_acknowledged_soon()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host =>
        {
            host.On<Numbered>(got.Add);
            host.OnRequest(static (Question question, Origin _) => new Reply(question.Number, 0));
        });
        await host.SubscribeAsync("news");
        for (var number = 0; number < 3; number++)
            host.Publish("news", new Numbered(number));
        await got.CountAsync(3);
        await host.RequestAsync<Question, Reply>(host.Id, new Question(1)).AsTask().InTime();

        foreach (var purpose in (string[])["news", host.Id])
        {
            for (var queue = 1; queue <= 3; queue++)
                await Until.TrueAsync(async () => await broker.Get().GetQueueAsync($"{host.Id}.{queue}.{purpose}", "messages, messages_unacknowledged") is "none" or "[{messages,0},{messages_unacknowledged,0}]");
        }
    }
}
