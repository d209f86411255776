using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RequestStatusTests
{
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(100);

    [Fact]
    public async Task A_request_that_nobody_answers_times_out_and_its_late_reply_is_dropped_and_counted()
    {
        var gate = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest<Ping, Pong>(async (ping, _, _) =>
        {
            if (ping.Number == 0)
                await gate.Task;
            return new Pong(ping.Number);
        }));

        var result = await hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(0), s_short).AsTask().InTime();
        await Assert.ThrowsAsync<TimeoutException>(() => hosts.Client.RequestAsync<Ping, Pong>(new Ping(0), s_short).AsTask().InTime());
        Assert.Equal(RequestStatus.TimedOut, result.Status);
        Assert.Equal(2, hosts.Client.GetStatistics().RequestsTimedOut);

        gate.SetResult(true);
        await Signal.UntilAsync(() => hosts.Client.GetStatistics().LateReplies == 2);
        Assert.Equal(new Pong(3), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());
    }

    [Fact]
    public async Task Canceling_ends_the_wait_at_once_and_cancels_the_other_sides_handler()
    {
        var started = Signal.New<bool>();
        var canceled = Signal.New<bool>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest<Ping, Pong>(async (_, _, token) =>
        {
            token.Register(() => canceled.SetResult(true));
            started.SetResult(true);
            await Task.Delay(Timeout.Infinite, token);
            return default;
        }));
        using var source = new CancellationTokenSource();

        var request = hosts.Client.TryRequestAsync<Ping, Pong>(default, cancellationToken: source.Token);
        await started.Task.InTime();
        await source.CancelAsync();

        Assert.Equal(RequestStatus.Canceled, (await request.AsTask().InTime()).Status);
        await canceled.Task.InTime();
        await Signal.UntilAsync(() => hosts.Client.GetStatistics().LateReplies == 1); // the fault that says so
        Assert.Equal(0, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task A_listener_to_the_token_that_throws_is_a_handler_that_failed()
    {
        var started = Signal.New<bool>();
        var failed = Signal.New<HandlerFailure>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.HandlerFailed += failure => failed.TrySetResult(failure);
            server.OnRequest<Ping, Pong>(async (ping, _, token) =>
            {
                if (ping.Number == 1)
                    return new Pong(1);
                token.Register(() => throw new InvalidOperationException("from the token"));
                started.SetResult(true);
                await Task.Delay(Timeout.Infinite, token);
                return default;
            });
        });
        using var source = new CancellationTokenSource();

        var request = hosts.Client.TryRequestAsync<Ping, Pong>(default, cancellationToken: source.Token);
        await started.Task.InTime();
        await source.CancelAsync();

        Assert.Equal(RequestStatus.Canceled, (await request.AsTask().InTime()).Status);
        Assert.IsType<AggregateException>((await failed.Task.InTime()).Exception);
        Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Fact]
    public async Task A_request_whose_token_is_canceled_already_is_not_sent()
    {
        var handled = 0;
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) =>
        {
            Interlocked.Increment(ref handled);
            return new Pong(ping.Number);
        }));

        var result = await hosts.Client.TryRequestAsync<Ping, Pong>(default, cancellationToken: new CancellationToken(true)).AsTask().InTime();
        await hosts.Client.RequestAsync<Ping, Pong>(default).AsTask().InTime();

        Assert.Equal(RequestStatus.Canceled, result.Status);
        Assert.Equal(1, handled);
        await Assert.ThrowsAsync<OperationCanceledException>(() => hosts.Client.RequestAsync<Ping, Pong>(default, cancellationToken: new CancellationToken(true)).AsTask().InTime());
    }

    [Fact]
    public async Task One_request_more_than_may_be_unanswered_is_full()
    {
        var gate = Signal.New<Pong>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest<Ping, Pong>((_, _, _) => new ValueTask<Pong>(gate.Task)),
            clientOptions: new MessageHostOptions { Limits = new HostLimits { MaxUnansweredRequests = 2 } });

        var first = hosts.Client.TryRequestAsync<Ping, Pong>(default).AsTask();
        var second = hosts.Client.TryRequestAsync<Ping, Pong>(default).AsTask();
        var third = hosts.Client.TryRequestAsync<Ping, Pong>(default).AsTask();

        Assert.Equal(RequestStatus.Full, (await third.InTime()).Status);
        gate.SetResult(new Pong(7));
        Assert.Equal(new Pong(7), (await first.InTime()).GetReply());
        Assert.Equal(RequestStatus.Replied, (await second.InTime()).Status);
    }

    [Fact]
    public async Task A_reply_of_another_type_is_invalid()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping _) => new Note("no pong")));

        Assert.Equal(RequestStatus.InvalidReply, (await hosts.Client.TryRequestAsync<Ping, Pong>(default).AsTask().InTime()).Status);
        var exception = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.RequestAsync<Ping, Pong>(default).AsTask().InTime());
        Assert.Equal(RequestStatus.InvalidReply, exception.Status);
    }

    [Fact]
    public async Task A_reply_whose_serializer_throws_is_invalid_and_reported()
    {
        var reply = new MessageContract<Pong>(60, new ThrowingSerializer<Pong>(onWrite: false));
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server =>
            server.OnRequest(MessageContract.GetDeclared<Ping>(), reply, (in Ping _, Peer _) => new Pong(1)));

        var exception = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.Server.RequestAsync(MessageContract.GetDeclared<Ping>(), reply, new Ping(1)).AsTask().InTime());

        Assert.Equal(RequestStatus.InvalidReply, exception.Status);
        Assert.Equal(1, hosts.Client.GetStatistics().HandlerFailures);
        Assert.True(hosts.Client.Server.IsConnected);
    }

    [Fact]
    public async Task A_request_that_cant_be_packed_throws_and_leaves_room_for_the_next()
    {
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest((Ping _) => new Pong(5)),
            clientOptions: new MessageHostOptions { Limits = new HostLimits { MaxUnansweredRequests = 1 } });
        var broken = new MessageContract<Ping>(61, new ThrowingSerializer<Ping>(onWrite: true));

        await Assert.ThrowsAsync<InvalidOperationException>(() => hosts.Client.Server.RequestAsync(broken, MessageContract.GetDeclared<Pong>(), default(Ping)).AsTask());
        Assert.Equal(new Pong(5), await hosts.Client.RequestAsync<Ping, Pong>(default).AsTask().InTime());
    }
}
