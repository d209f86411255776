using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RequestTests(BrokerFixture broker)
{
    [Fact]
    public async Task A_request_to_a_name_is_answered_by_one_of_those_who_answer_to_it()
    {
        await using var fleet = new Fleet(broker.Get());
        var asked = new int[2];
        for (var index = 0; index < 2; index++)
        {
            var mine = index;
            var server = await fleet.AddAsync(host => host.OnRequest((Question question) =>
            {
                asked[mine]++;
                return new Reply(question.Number, mine);
            }));
            await server.AnswerAsync("servers");
        }

        var lobby = await fleet.AddAsync();
        for (var number = 0; number < 100; number++)
            Assert.Equal(number, (await lobby.RequestAsync<Question, Reply>("servers", new Question(number))).Number);

        Assert.Equal(100, asked[0] + asked[1]);
        Assert.All(asked, static count => Assert.NotEqual(0, count));
    }

    [Fact]
    public async Task Both_sides_ask_back_from_inside_of_a_handler()
    {
        await using var fleet = new Fleet(broker.Get());
        RabbitHost server = null!;
        server = await fleet.AddAsync(host => host.OnRequest(async (Question question, Origin from, CancellationToken canceled) =>
            await server.RequestAsync<Question, Reply>(from.Sender, new Question(question.Number + 1), cancellationToken: canceled)));
        await server.AnswerAsync("servers");
        var lobby = await fleet.AddAsync(host => host.OnRequest((Question question) => new Reply(question.Number * 10, 0)));

        var replies = await Task.WhenAll(Ask(1), Ask(2), Ask(3)).InTime();

        Assert.Equal([new Reply(20, 0), new Reply(30, 0), new Reply(40, 0)], replies);

        Task<Reply> Ask(int number) => lobby.RequestAsync<Question, Reply>("servers", new Question(number)).AsTask();
    }

    [Fact]
    public async Task Requests_to_a_host_s_id_may_ask_back_as_many_at_once_and_as_often_as_they_like()
    {
        var options = new RabbitOptions { Prefetch = 4, RequestTimeout = TimeSpan.FromMinutes(10) };
        await using var fleet = new Fleet(broker.Get());
        RabbitHost server = null!;
        server = await fleet.AddAsync(
            host => host.OnRequest(async (Question question, Origin from, CancellationToken canceled) =>
            {
                var reply = new Reply(question.Number, 0);
                for (var count = 0; count < 20; count++)
                    reply = await server.RequestAsync<Question, Reply>(from.Sender, new Question(reply.Number), cancellationToken: canceled);
                return reply;
            }),
            options);
        var lobby = await fleet.AddAsync(host => host.OnRequest((Question question) => new Reply(question.Number + 1, 0)), options);

        var replies = await Task.WhenAll(Enumerable.Range(0, 16).Select(number => lobby.RequestAsync<Question, Reply>(server.Id, new Question(number)).AsTask())).InTime();

        Assert.Equal(Enumerable.Range(20, 16), replies.Select(static reply => reply.Number));
    }

    [Fact]
    public async Task A_request_to_nobody_ends_at_once()
    {
        await using var fleet = new Fleet(broker.Get());
        var lobby = await fleet.AddAsync(options: new RabbitOptions { RequestTimeout = TimeSpan.FromMinutes(10) });

        Assert.Equal(RequestStatus.Disconnected, (await lobby.TryRequestAsync<Question, Reply>("nobody", new Question(1)).AsTask().InTime()).Status);
    }

    [Fact]
    public async Task A_handler_that_throws_is_a_fault_without_its_text_unless_it_chose_one()
    {
        await using var fleet = new Fleet(broker.Get());
        var server = await fleet.AddAsync(static host => host.OnRequest(static (Question question) => question.Number == 0
            ? throw new InvalidOperationException("secret")
            : question.Number == 1
            ? throw new RequestFaultException(1001, "no such match")
            : new Reply(question.Number, 0)));
        await server.AnswerAsync("servers");
        var lobby = await fleet.AddAsync();

        var failed = await Assert.ThrowsAsync<RequestFaultException>(() => lobby.RequestAsync<Question, Reply>("servers", new Question(0)).AsTask());
        var chosen = await Assert.ThrowsAsync<RequestFaultException>(() => lobby.RequestAsync<Question, Reply>("servers", new Question(1)).AsTask());
        var fine = await lobby.RequestAsync<Question, Reply>("servers", new Question(2));

        Assert.Equal((FaultCode.HandlerFailed, $"The handler of requests of type {MessageContract.GetDeclared<Question>().Type} failed."), (failed.Code, failed.Message));
        Assert.Equal((1001, "no such match"), (chosen.Code, chosen.Message));
        Assert.Equal(2, fine.Number);
        Assert.Equal((1, 2), (server.GetStatistics().HandlerFailures, server.GetStatistics().FaultsSent));
    }

    [Fact]
    public async Task A_request_that_nobody_handles_is_a_fault()
    {
        await using var fleet = new Fleet(broker.Get());
        var server = await fleet.AddAsync(static host => host.On(static (in Unhandled _, Origin _) => { }));
        await server.AnswerAsync("servers");
        var lobby = await fleet.AddAsync();

        var none = await lobby.TryRequestAsync<Question, Reply>("servers", new Question(1));
        var onlyEvents = await lobby.TryRequestAsync<Unhandled, Reply>("servers", new Unhandled(1));

        Assert.Equal((RequestStatus.Faulted, FaultCode.NoHandler), (none.Status, none.Fault!.Code));
        Assert.Equal((RequestStatus.Faulted, FaultCode.NoHandler), (onlyEvents.Status, onlyEvents.Fault!.Code));
        Assert.Equal(1, server.GetStatistics().Misdirected);
    }

    [Fact]
    public async Task A_request_of_a_sender_that_cannot_be_answered_is_dropped_alone()
    {
        await using var fleet = new Fleet(broker.Get());
        var server = await fleet.AddAsync(static host => host.OnRequest(static (in Question question, Origin _) => new Reply(question.Number, 0)));
        await server.AnswerAsync("servers");
        await using var bare = await fleet.AddBareAsync();
        using var packed = new MessageWriter().Pack(MessageContract.GetDeclared<Question>(), new Question(1), MessageKind.Request, correlationId: 7);
        await bare.BasicPublishAsync($"{fleet.Scope}.requests", "servers", mandatory: true, new StrangeSender(), packed.Memory);

        await Until.TrueAsync(() => server.GetStatistics().Dropped == 1);
        Assert.Equal((LinkState.Connected, 0L), (server.State, server.GetStatistics().Disconnects));
    }

    [Fact]
    public async Task Timeouts_and_tokens_end_a_request_and_its_late_reply_is_counted()
    {
        await using var fleet = new Fleet(broker.Get());
        var release = new TaskCompletionSource();
        var server = await fleet.AddAsync(host => host.OnRequest(async (Question question, Origin _, CancellationToken _) =>
        {
            await release.Task;
            return new Reply(question.Number, 0);
        }));
        await server.AnswerAsync("servers");
        var lobby = await fleet.AddAsync();
        using var source = new CancellationTokenSource();

        var canceled = lobby.TryRequestAsync<Question, Reply>("servers", new Question(1), cancellationToken: source.Token).AsTask();
        await source.CancelAsync();
        var late = await lobby.TryRequestAsync<Question, Reply>("servers", new Question(2), TimeSpan.FromMilliseconds(100)).AsTask().InTime();
        release.SetResult();

        Assert.Equal(RequestStatus.Canceled, (await canceled.InTime()).Status);
        Assert.Equal(RequestStatus.TimedOut, late.Status);
        await Until.TrueAsync(() => lobby.GetStatistics().RequestsTimedOut == 1);
        await Until.TrueAsync(() => lobby.GetStatistics().LateReplies >= 1);
    }
}
