using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>Hosts over the sample transport.</summary>
public sealed class LossyHostTests
{
    private const int Seed = 3;
    private const double Loss = 0.2;

    private static readonly TimeSpan s_never = TimeSpan.FromDays(1);

    private readonly LossyTransport _transport = new(Seed);

    [Fact]
    public async Task Hosts_with_the_same_token_exchange_events_and_requests()
    {
        var options = new MessageHostOptions { Token = new byte[] { 1, 2, 3 } };
        var (events, greeting) = (Signal.New<string>(), Signal.New<string>());
        await using var server = await MessageHost.ListenAsync(Endpoint, host =>
        {
            host.On((in Note note, Peer from) => events.SetResult(note.Text));
            host.OnRequest((in Ping ping, Peer _) => new Pong(ping.Number + 1));
        }, options);
        await using var client = await MessageHost.ConnectAsync(Endpoint, host => host.On((in Note note, Peer _) => greeting.SetResult(note.Text)), options);

        client.Send(new Note("up"));
        server.Broadcast(new Note("down"));

        Assert.Equal("up", await events.Task.InTime());
        Assert.Equal("down", await greeting.Task.InTime());
        Assert.Equal(new Pong(42), await client.RequestAsync<Ping, Pong>(new Ping(41)).AsTask().InTime());
    }

    [Fact]
    public async Task Client_with_another_token_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(Endpoint, options: new MessageHostOptions { Token = new byte[] { 1 } });

        var refusal = await Assert.ThrowsAsync<HandshakeException>(() =>
            MessageHost.ConnectAsync(Endpoint, options: new MessageHostOptions { Token = new byte[] { 2 } }).InTime());

        Assert.Equal(DisconnectReason.WrongToken, refusal.Reason);
    }

    [Fact]
    public async Task Handshake_and_goodbye_arrive_when_all_unreliable_frames_are_lost()
    {
        _transport.Loss = 1;
        await using var server = await MessageHost.ListenAsync(Endpoint);
        var gone = server.Disconnection();

        var client = await MessageHost.ConnectAsync(Endpoint).InTime();
        await client.DisposeAsync().AsTask().InTime();

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
    }

    [Fact]
    public async Task Requests_that_the_seed_loses_time_out_and_the_others_succeed()
    {
        const int Requests = 200;
        var options = new MessageHostOptions { RequestTimeout = s_never, PingInterval = s_never, KeepAliveTimeout = s_never };
        var handled = new ConcurrentQueue<int>();
        await using var server = await MessageHost.ListenAsync(Endpoint, host => host.OnRequest((in Ping ping, Peer _) =>
        {
            handled.Enqueue(ping.Number);
            return new Pong(ping.Number);
        }), options);
        await PassFirstPingAsync(server);
        await using var client = await MessageHost.ConnectAsync(Endpoint, options: options);
        await PassFirstPingAsync(client);
        await client.RequestAsync<Ping, Pong>(new Ping(-1)).AsTask().InTime(); // a pong would arrive before its reply

        _transport.Loss = Loss;
        var answered = new List<int>();
        for (var i = 0; i < Requests; i++)
        {
            var result = await AskAsync(client, i);
            Assert.True(result.Status is RequestStatus.Replied or RequestStatus.TimedOut, $"Request {i}: {result.Status}");
            if (result.Status == RequestStatus.Replied)
                answered.Add(result.Reply.Number);
        }

        var (up, down) = (new Random(Seed + 1), new Random(Seed + 2));
        var expectedHandled = Enumerable.Range(0, Requests).Where(_ => up.NextDouble() >= Loss).ToList();
        var expectedAnswered = expectedHandled.Where(_ => down.NextDouble() >= Loss).ToList();
        Assert.InRange(expectedAnswered.Count, 100, 155);
        Assert.Equal([-1, .. expectedHandled], handled);
        Assert.Equal(expectedAnswered, answered);
        Assert.Equal(Requests - expectedAnswered.Count, _transport.LostFrames);
    }

    private MessageEndpoint Endpoint => MessageEndpoint.Over(_transport, "host");

    /// <summary>Sends one request. If it or its reply is lost, it is overdue at once.</summary>
    private async Task<RequestResult<Pong>> AskAsync(MessageClient client, int number)
    {
        var lost = _transport.LostFrames;
        var asking = client.TryRequestAsync<Ping, Pong>(new Ping(number)).AsTask();
        await Signal.UntilAsync(() => asking.IsCompleted || _transport.LostFrames > lost);
        if (!asking.IsCompleted)
            client.Server.Requests.EndOverdue(long.MaxValue);
        return await asking.InTime();
    }

    /// <summary>Waits until a host's timer has ticked twice: the first tick may have sent a ping, and the next ping is due after a day.</summary>
    private static async Task PassFirstPingAsync(MessageHost host)
    {
        for (var i = 0; i < 2; i++)
        {
            var before = host.Resources.Clock.Now;
            await Signal.UntilAsync(() => host.Resources.Clock.Now > before);
        }
    }
}
