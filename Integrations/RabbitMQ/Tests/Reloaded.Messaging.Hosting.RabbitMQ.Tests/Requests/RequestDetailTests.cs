using System;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>What a requester sees where a request fails, and beside batches.</summary>
public sealed class RequestDetailTests(BrokerFixture broker)
{
    [Fact]
    public async Task Fault_of_a_reply_that_is_too_large_carries_the_type_of_the_request()
    {
        await using var fleet = new Fleet(broker.Get());
        var small = new RabbitOptions { MessageLimits = new MessageLimits { MaxMessageSize = 1000 } };
        var server = await fleet.AddAsync(static host => host.OnRequest(static (Question _) => new Text(new string('x', 2000))), small);
        await server.AnswerAsync("servers");
        await using var bare = await fleet.AddBareAsync();
        var queue = (await bare.QueueDeclareAsync()).QueueName;
        await bare.QueueBindAsync(queue, $"{fleet.Scope}.replies", "bare");

        using (var packed = new MessageWriter().Pack(MessageContract.GetDeclared<Question>(), new Question(1), MessageKind.Request, 7))
            await bare.BasicPublishAsync($"{fleet.Scope}.requests", "servers", mandatory: true, new BasicProperties { AppId = "bare" }, packed.Span.ToArray());

        BasicGetResult? fault = null;
        await Until.TrueAsync(async () => (fault = await bare.BasicGetAsync(queue, autoAck: true)) is not null);
        Assert.Equal(HeaderStatus.Ok, MessageHeader.TryRead(fault!.Body.Span, out var header, out _));
        Assert.Equal((MessageKind.Fault, 7U, 2U), (header.Kind, header.CorrelationId, header.Type));
    }

    [Fact]
    public async Task Fault_of_a_reply_that_is_too_large_says_its_size_and_the_limit()
    {
        await using var fleet = new Fleet(broker.Get());
        var small = new RabbitOptions { MessageLimits = new MessageLimits { MaxMessageSize = 1000 } };
        var server = await fleet.AddAsync(static host => host.OnRequest(static (Question _) => new Text(new string('x', 2000))), small);
        var client = await fleet.AddAsync();

        var result = await client.TryRequestAsync<Question, Text>(server.Id, new Question(1)).AsTask().InTime();

        Assert.Equal((RequestStatus.Faulted, FaultCode.ReplyFailed), (result.Status, result.Fault!.Code));
        Assert.StartsWith($"The reply {typeof(Text)} was not sent. It is at least 2,0", result.Fault.Message, StringComparison.Ordinal);
        Assert.EndsWith("the limit is 1,000.", result.Fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Request_beside_BatchDelay_waits_for_no_batch()
    {
        await using var fleet = new Fleet(broker.Get());
        var options = new RabbitOptions { BatchDelay = TimeSpan.FromSeconds(1), RequestTimeout = TimeSpan.FromMinutes(1) };
        var host = await fleet.AddAsync(static host => host.OnRequest(static (Question question) => new Reply(question.Number, 0)), options);

        await AskAsync().InTime(); // 40 round trips, each of two waits of a second, would not be

        async Task AskAsync()
        {
            for (var number = 0; number < 40; number++)
            {
                host.Publish("any", new Numbered(number));
                Assert.Equal(number, (await host.RequestAsync<Question, Reply>(host.Id, new Question(number))).Number);
            }
        }
    }

    [Fact]
    public async Task Request_to_a_name_without_hosts_says_the_name()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();

        var failed = await Assert.ThrowsAsync<RequestFailedException>(() => host.RequestAsync<Question, Reply>("nobody", new Question(1)).AsTask().InTime());

        Assert.Contains("'nobody'", failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ConnectAsync_leaves_the_factory_of_the_caller_as_it_was()
    {
        var factory = Fleet.FactoryOf(broker.Get().Port);

        await using var host = await RabbitHost.ConnectAsync(factory).InTime();

        Assert.True(factory.AutomaticRecoveryEnabled);
        Assert.True(factory.TopologyRecoveryEnabled);
    }
}
