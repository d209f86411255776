using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

public sealed class ReconnectTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"reconnect-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task A_client_that_lost_its_server_is_the_same_client_of_the_next()
    {
        var notes = Signal.New<string>();
        var server = await ListenAsync();
        await using var client = await MessageHost.ConnectAsync(_endpoint, client => client.On((in Note note, Peer _) => notes.SetResult(note.Text)), With());
        var (diary, first, back) = (client.Diary(), client.Server, Back(client));

        await server.DisposeAsync();
        await using var next = await ListenAsync();
        var second = await back.InTime();

        Assert.NotSame(first, second);
        Assert.Same(second, client.Server);
        Assert.Equal(1, client.Reconnects);
        Assert.Equal(new Pong(2), await client.RequestAsync<Ping, Pong>(new Ping(2)).AsTask().InTime());
        next.Broadcast(new Note("to the same handler"));
        Assert.Equal("to the same handler", await notes.Task.InTime());
        Assert.Equal($"{first.Id} Goodbye", diary[0]);
        Assert.Equal($"{second.Id} connected", diary[^1]);
    }

    [Fact]
    public async Task Without_resending_everything_fails_at_once_until_it_is_connected_again()
    {
        using var started = new CountdownEvent(10);
        var server = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest<Ping, Pong>(async (_, _, token) =>
        {
            started.Signal();
            await Task.Delay(Timeout.Infinite, token);
            return default;
        }));
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With());
        var pending = Enumerable.Range(0, 10).Select(i => client.TryRequestAsync<Ping, Pong>(new Ping(i)).AsTask()).ToArray();
        await Deadline.RunAside(() => Assert.True(started.Wait(Deadline.Length)));

        await server.DisposeAsync();

        Assert.All(await Task.WhenAll(pending).InTime(), result => Assert.Equal(RequestStatus.Disconnected, result.Status));
        Assert.Equal(RequestStatus.NotSent, (await client.TryRequestAsync<Ping, Pong>(default).AsTask().InTime()).Status);
        Assert.Equal(SendStatus.Closed, client.Send(new Note("nobody")));
        Assert.Equal(0, client.ResentRequests);
    }

    [Fact]
    public async Task Requests_are_sent_again_in_their_order_with_those_made_meanwhile_behind_them()
    {
        const int Count = 200;
        using var started = new CountdownEvent(Count / 2);
        var server = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest<Ping, Pong>(async (_, _, token) =>
        {
            started.Signal();
            await Task.Delay(Timeout.Infinite, token);
            return default;
        }));
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(resends: true));
        var requests = Enumerable.Range(0, Count / 2).Select(Ask).ToList();
        await Deadline.RunAside(() => Assert.True(started.Wait(Deadline.Length)));
        var gone = client.Disconnection();

        await server.DisposeAsync();
        await gone.InTime();
        requests.AddRange(Enumerable.Range(Count / 2, Count / 2).Select(Ask));
        var received = new List<int>();
        await using var next = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest((Ping ping) =>
        {
            received.Add(ping.Number);
            return new Pong(ping.Number);
        }));

        Assert.Equal(Enumerable.Range(0, Count).Select(i => new Pong(i)), await Task.WhenAll(requests).InTime());
        Assert.Equal(Enumerable.Range(0, Count), received);
        Assert.InRange(client.ResentRequests, Count / 2, Count); // those made meanwhile may have met the lost connection too

        Task<Pong> Ask(int number) => client.RequestAsync<Ping, Pong>(new Ping(number), TimeSpan.FromMinutes(1)).AsTask();
    }

    [Fact]
    public async Task Timeouts_and_tokens_go_on_while_there_is_no_server()
    {
        var server = await ListenAsync();
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(resends: true));
        using var source = new CancellationTokenSource();
        var gone = client.Disconnection();
        await server.DisposeAsync();
        await gone.InTime();

        var timed = client.TryRequestAsync<Ping, Pong>(default, TimeSpan.FromMilliseconds(30)).AsTask();
        var canceled = client.TryRequestAsync<Ping, Pong>(default, TimeSpan.FromMinutes(1), source.Token).AsTask();
        Assert.Equal(RequestStatus.TimedOut, (await timed.InTime()).Status);
        Assert.False(canceled.IsCompleted);
        await source.CancelAsync();

        Assert.Equal(RequestStatus.Canceled, (await canceled.InTime()).Status);
        await Assert.ThrowsAsync<TimeoutException>(() => client.RequestAsync<Ping, Pong>(default, TimeSpan.FromMilliseconds(30)).AsTask().InTime());
    }

    [Fact]
    public async Task Disposing_ends_the_attempts_and_all_that_waits()
    {
        var server = await ListenAsync();
        var client = await MessageHost.ConnectAsync(_endpoint, options: With(resends: true));
        var failed = Signal.New<Exception>();
        client.ReconnectFailed += failure => failed.TrySetResult(failure);
        await server.DisposeAsync();
        Assert.IsType<TransportClosedException>(await failed.Task.InTime());
        var waiting = Enumerable.Range(0, 10).Select(i => client.TryRequestAsync<Ping, Pong>(new Ping(i), TimeSpan.FromMinutes(1)).AsTask()).ToArray();

        await client.DisposeAsync().AsTask().InTime();

        Assert.All(await Task.WhenAll(waiting).InTime(), result => Assert.Equal(RequestStatus.NotSent, result.Status));
        Assert.Equal(RequestStatus.NotSent, (await client.TryRequestAsync<Ping, Pong>(default).AsTask().InTime()).Status);
    }

    [Fact]
    public async Task A_tool_that_was_started_first_waits_for_its_server()
    {
        var tried = Signal.New<ReconnectAttempt>();
        var connecting = MessageHost.ConnectAsync(_endpoint, options: With(next: attempt =>
        {
            tried.TrySetResult(attempt);
            return new(attempt.Endpoint);
        }));

        var attempt = await tried.Task.InTime();
        Assert.Equal((1, _endpoint), (attempt.Number, attempt.Endpoint));
        Assert.IsType<TransportClosedException>(attempt.Failure);
        await using var server = await ListenAsync();

        await using var client = await connecting.InTime();
        Assert.Equal(new Pong(3), await client.RequestAsync<Ping, Pong>(new Ping(3)).AsTask().InTime());
        Assert.Equal(0, client.Reconnects);
    }

    [Fact]
    public async Task A_server_that_has_no_room_is_tried_again_too()
    {
        await using var full = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });
        await using var other = await MessageHost.ConnectAsync(_endpoint);
        await using var right = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"{_endpoint.Address}-right"));

        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(next: attempt => new(attempt.Failure is HandshakeException ? right.Endpoint : null))).InTime();

        Assert.Contains("-right", client.Server.RemoteName, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_callback_may_send_it_elsewhere_or_give_up()
    {
        var elsewhere = MessageEndpoint.InProcess($"{_endpoint.Address}-elsewhere");
        await using var other = await ListenAsync(elsewhere);
        var server = await ListenAsync();
        MessageEndpoint? answer = elsewhere;
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(resends: true, next: _ => new(answer)));
        var back = Back(client);

        await server.DisposeAsync();
        Assert.Equal(elsewhere.ToString(), (await back.InTime()).RemoteName);

        answer = null;
        await other.DisposeAsync();
        var last = await client.TryRequestAsync<Ping, Pong>(default, TimeSpan.FromMinutes(1)).AsTask().InTime();
        Assert.True(last.Status is RequestStatus.NotSent or RequestStatus.Disconnected, last.ToString()); // it may have met the lost connection
        await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(_endpoint, options: With(next: _ => new((MessageEndpoint?)null))).InTime());
    }

    [Fact]
    public async Task A_callback_that_throws_or_never_answers_hangs_nothing()
    {
        var server = await ListenAsync();
        var failures = Signal.New<Exception>();
        await using var thrower = await MessageHost.ConnectAsync(_endpoint, options: With(next: _ => throw new InvalidOperationException("mine")));
        var sleeper = await MessageHost.ConnectAsync(_endpoint, options: With(next: async _ =>
        {
            await Task.Delay(Timeout.Infinite);
            return null;
        }));
        thrower.HandlerFailed += failure => failures.TrySetResult(failure.Exception);

        await server.DisposeAsync();

        Assert.Equal("mine", (await failures.Task.InTime()).Message);
        await sleeper.DisposeAsync().AsTask().InTime();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_connection_that_this_side_ended_stays_ended(bool kicks)
    {
        await using var server = await ListenAsync();
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(resends: true));

        await (kicks ? client.Server.KickAsync("enough") : client.Server.DisconnectAsync()).InTime();

        Assert.Equal(RequestStatus.NotSent, (await client.TryRequestAsync<Ping, Pong>(default, TimeSpan.FromMinutes(1)).AsTask().InTime()).Status);
        Assert.Equal(0, client.Reconnects);
    }

    [Fact]
    public async Task A_connection_that_this_side_ended_stays_ended_although_the_server_falls_silent_meanwhile()
    {
        using var listener = new RawListener();
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.Tcp(listener.Port), options: With() with { KeepAliveTimeout = TimeSpan.FromHours(1), FlushTimeout = TimeSpan.FromHours(1) });
        using var silent = await listener.AcceptAsync();
        await silent.SendAsync([.. RawPeer.Hello(), .. RawPeer.Accept]);
        await using var client = await connecting.InTime();
        var server = client.Server;

        var ending = server.DisconnectAsync(); // waits until the server closes the connection
        await server.AddSilenceAsync(TimeSpan.FromHours(2));
        await ending.InTime();

        Assert.Equal(DisconnectReason.Requested, server.Disconnected);
        await Assert.ThrowsAsync<TransportClosedException>(() => client.WaitForConnectionAsync().InTime());
        Assert.Equal(0, client.Reconnects);
    }

    [Fact]
    public async Task Connections_that_break_under_many_who_ask_answer_or_fail_each_request_once()
    {
        await using var server = await ListenAsync();
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: With(resends: true));
        var isOver = false;
        var asking = Enumerable.Range(0, 8).Select(number => Task.Run(async () =>
        {
            var asked = 0;
            while (!Volatile.Read(ref isOver))
                Assert.Equal(new Pong(number), await client.RequestAsync<Ping, Pong>(new Ping(number), TimeSpan.FromMinutes(1)));
            return asked;
        })).ToArray();

        for (var i = 1; i <= 50; i++)
        {
            await Signal.UntilAsync(() => server.Peers.Count == 1);
            foreach (var peer in server.Peers)
                peer.Lose();
            await Signal.UntilAsync(() => client.Reconnects == i);
        }

        Volatile.Write(ref isOver, true);
        await Task.WhenAll(asking).InTime();
    }

    private static MessageHostOptions With(bool resends = false, Func<ReconnectAttempt, ValueTask<MessageEndpoint?>>? next = null) => new()
    {
        Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(1), MaxDelay = TimeSpan.FromMilliseconds(20), ResendsRequests = resends, NextEndpoint = next },
    };

    private static Task<Peer> Back(MessageClient client)
    {
        var signal = Signal.New<Peer>();
        client.PeerConnected += peer => Signal.UntilAsync(() => client.Reconnects > 0).ContinueWith(_ => signal.TrySetResult(peer), TaskScheduler.Default);
        return signal.Task;
    }

    private Task<MessageServer> ListenAsync(MessageEndpoint? endpoint = null) =>
        MessageHost.ListenAsync(endpoint ?? _endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
}
