using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Ticking;

public sealed class TickingHostTests
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(20);

    [Fact]
    public async Task What_came_is_handled_before_the_update_and_what_was_sent_is_written_behind_it()
    {
        var time = new ManualTime();
        var diary = new List<string>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping ping, Peer from) =>
            {
                diary.Add($"handled {ping.Number}");
                from.Send(new Pong(ping.Number));
            }),
            new MessageHostOptions { IsPumped = true });
        var pongs = Signal.New<int>();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Pong pong, Peer _) => pongs.TrySetResult(pong.Number)));
        var peer = await server.Connection().InTime();
        await peer.FlushAsync().InTime();
        await using var loop = new TickLoop(
            (in Tick tick) =>
            {
                diary.Add($"update {tick.Number}");
                server.Broadcast(new Ping(1));
                LetThePoolWork();
                diary.Add(peer.FlushAsync().IsCompleted ? "written" : "held");
            },
            new TickLoopOptions { TimeProvider = time, Interval = s_interval, Host = server });
        loop.Start();
        client.Send(new Ping(5));
        await client.Server.FlushAsync().InTime();
        await Signal.UntilAsync(() => server.Inbox!.Count == 1);

        time.Advance(s_interval);

        Assert.Equal(["handled 5", "update 1"], diary[..2]);
        Assert.Equal(5, await pongs.Task.InTime());

        // What is held for long is written by the host's own timer, and on a busy machine an update may be: but not each.
        while (diary[^1] != "held")
        {
            Assert.InRange(diary.Count, 3, 60);
            time.Advance(s_interval);
        }
    }

    [Fact]
    public async Task A_continuation_that_throws_in_the_pump_keeps_no_update_from_running()
    {
        var time = new ManualTime();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: new MessageHostOptions { IsPumped = true });
        var ticks = 0;
        await using var loop = new TickLoop((in Tick _) => ticks++, new TickLoopOptions { TimeProvider = time, Interval = s_interval, Host = server });
        loop.Start();
        server.Inbox!.Post(_ => throw new InvalidOperationException("from a continuation"), null);

        time.Advance(2 * s_interval);

        Assert.Equal((2, 1), (ticks, loop.GetStatistics().Failures));
    }

    /// <summary>A flush that is queued to the thread pool is done by then, many times over.</summary>
    private static void LetThePoolWork()
    {
        using var done = new CountdownEvent(1000);
        for (var i = 0; i < 1000; i++)
            ThreadPool.UnsafeQueueUserWorkItem(static count => count.Signal(), done, preferLocal: false);
        Assert.True(done.Wait(Deadline.Length));
    }
}
