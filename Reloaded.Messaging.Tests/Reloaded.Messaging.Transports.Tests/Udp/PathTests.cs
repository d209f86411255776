using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Two connections over emulated paths, in virtual time.</summary>
public sealed class PathTests
{
    private const int FrameSize = 1000;

    [Theory]
    [InlineData(1, 0.01, 0, 0, 20_000)]
    [InlineData(2, 0.05, 10, 0.01, 20_000)]
    [InlineData(3, 0.2, 0, 0, 100_000)]
    [InlineData(4, 0.2, 40, 0.1, 20_000)]
    [InlineData(5, 0, 100, 0.5, 20_000)]
    public void Lossy_path_delivers_every_frame_once_and_in_order(int seed, double loss, int jitter, double duplication, int count)
    {
        var path = new EmulatedPath(seed, new PathOptions { Loss = loss, Jitter = TimeSpan.FromMilliseconds(jitter), Duplication = duplication });
        var frames = new NumberedFrames(path.Client, path.Server, 200, count);
        path.Act = () =>
        {
            frames.Send();
            frames.Receive();
        };

        Assert.True(path.RunUntil(() => frames.Received == count && path.Client.UnconfirmedFrames == 0, TimeSpan.FromMinutes(10)), $"{frames.Received} after {path.Now}");
        Write(path);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Slow_reader_slows_the_sender_and_every_frame_arrives(int seed)
    {
        const int Count = 6000;
        var path = new EmulatedPath(seed, new PathOptions { Loss = 0.05, Jitter = TimeSpan.FromMilliseconds(5) });
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, Count);
        path.ActAt = TimeSpan.Zero;
        path.Act = () =>
        {
            frames.Send();
            if (path.Now < path.ActAt)
                return;
            frames.Receive(most: 20_000);
            path.ActAt = path.Now + TimeSpan.FromMilliseconds(path.Now < TimeSpan.FromSeconds(20) ? 400 : 20); // very slow at first
        };

        Assert.True(path.RunUntil(() => frames.Received == Count, TimeSpan.FromMinutes(10)), $"{frames.Received} after {path.Now}");
        Assert.Equal(0, path.ServerCounts.GetDropped(DatagramDropReason.OutOfOrder));
        Write(path);
    }

    [Fact]
    public void Reader_that_stops_for_minutes_loses_nothing()
    {
        const int Count = 10_000;
        var path = new EmulatedPath(7, new PathOptions { Loss = 0.1 });
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, Count);
        path.Act = () => frames.Send();
        path.Run(TimeSpan.FromMinutes(5));
        Assert.InRange(path.SentByClient, 300, 500); // the first room, and a ping in each second

        path.Act = () =>
        {
            frames.Send();
            frames.Receive();
        };

        Assert.True(path.RunUntil(() => frames.Received == Count, TimeSpan.FromMinutes(10)), $"{frames.Received} after {path.Now}");
    }

    [Fact]
    public void Side_that_acknowledges_nothing_makes_no_progress_although_its_data_arrives()
    {
        var path = new EmulatedPath(1, new PathOptions { LargestSize = 200 });
        var (up, down) = (new NumberedFrames(path.Client, path.Server, FrameSize, 1), new NumberedFrames(path.Server, path.Client, 130, 100));
        Assert.Null(path.Client.AcknowledgedProgress);
        up.Send(); // each part of it is larger than the path
        for (var i = 0; i < 100; i++)
        {
            down.Send(most: 1);
            path.Run(TimeSpan.FromMilliseconds(100));
            down.Receive();
            Assert.Equal(0, path.Client.AcknowledgedProgress);
        }

        Assert.Equal(100, down.Received);
        path.Options = new PathOptions();
        Assert.True(path.RunUntil(() => path.Client.AcknowledgedProgress is null, TimeSpan.FromMinutes(1)));
    }

    [Fact]
    public void Challenge_is_answered_with_its_bytes()
    {
        var path = new EmulatedPath(1);
        var body = new byte[2000];

        path.Client.Receive(path.Server.NextNumber, body.AsSpan(0, path.Server.WriteChallenge(body, 0x0102030405060708, path.Ticks)), path.Ticks);
        path.Server.Receive(path.Client.NextNumber, body.AsSpan(0, path.Client.Write(body, path.Ticks)), path.Ticks);

        Assert.Equal(0x0102030405060708UL, path.Server.Response);
        Assert.True(path.Server.IsNewest);
    }

    [Fact]
    public void New_path_is_measured_anew_and_loses_nothing()
    {
        const int Count = 20_000;
        var path = new EmulatedPath(8, new PathOptions { Loss = 0.02 });
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, Count);
        path.Act = () =>
        {
            frames.Send();
            frames.Receive();
        };
        Assert.True(path.RunUntil(() => frames.Received > Count / 2, TimeSpan.FromMinutes(10)));
        var window = path.Client.Path.CongestionWindow;

        path.Client.ForgetPath();

        Assert.Equal(TimeSpan.Zero, path.Client.Path.RoundTripTime);
        Assert.True(path.Client.Path.CongestionWindow < window / 2);
        Assert.True(path.RunUntil(() => frames.Received == Count, TimeSpan.FromMinutes(10)), $"{frames.Received} after {path.Now}");
        Assert.InRange(path.Client.Path.RoundTripTime, TimeSpan.FromMilliseconds(45), TimeSpan.FromMilliseconds(100));
    }

    [Fact]
    public void Traffic_flows_at_once_after_the_other_side_has_another_address()
    {
        var path = new EmulatedPath(1);
        var (up, down) = (new NumberedFrames(path.Client, path.Server, FrameSize, 1), new NumberedFrames(path.Server, path.Client, FrameSize, 1));
        path.IsLost = static (isClients, _) => !isClients; // to the old address
        up.Send();
        down.Send();
        path.Run(TimeSpan.FromSeconds(20)); // both sides send again ever more rarely
        down.Receive();
        path.IsLost = static (_, _) => false;

        path.Server.NoteAddressChange();

        Assert.True(path.RunUntil(Arrive, TimeSpan.FromMilliseconds(60)), $"{up.Received} and {down.Received} after {path.Now}");
        Assert.Equal(0, path.Client.Path.BytesInFlight); // the acknowledgement is repeated too

        bool Arrive()
        {
            up.Receive();
            down.Receive();
            return up.Received == 1 && down.Received == 1;
        }
    }

    [Fact]
    public void New_client_that_waits_shows_its_address_each_second_of_the_handshake()
    {
        var path = new EmulatedPath(1);
        path.Client.Confirm(path.Ticks);
        path.Run(TimeSpan.FromSeconds(0.5));
        var confirmed = path.SentByClient;

        var asked = new int[11];
        for (var second = 0; second < asked.Length; second++)
        {
            path.Run(TimeSpan.FromSeconds(1));
            (asked[second], confirmed) = (path.SentByClient - confirmed, path.SentByClient);
        }

        Assert.Equal([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], asked);
    }

    [Fact]
    public void Lost_response_to_a_challenge_costs_one_probe_timeout()
    {
        var path = new EmulatedPath(1);
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, 1);
        path.IsLost = static (_, _) => true;
        frames.Send();
        path.Run(TimeSpan.FromSeconds(20));
        var body = new byte[2000];

        path.Client.Receive(path.Server.NextNumber, body.AsSpan(0, path.Server.WriteChallenge(body, 1, path.Ticks)), path.Ticks);
        path.RunUntil(static () => true, TimeSpan.Zero); // sends the response, which is lost
        path.IsLost = static (_, _) => false;

        Assert.True(
            path.RunUntil(
                () =>
                {
                    frames.Receive();
                    return frames.Received == 1;
                },
                TimeSpan.FromSeconds(1.5)),
            $"{frames.Received} after {path.Now}");
    }

    [Theory]
    [InlineData(125_000, 20_000)] // 1 Mbit/s
    [InlineData(32_000, 200_000)] // 256 kbit/s with a deep queue
    [InlineData(1_250_000, 60_000)] // 10 Mbit/s
    public void Slow_link_is_filled_and_does_not_collapse(int rate, int queue)
    {
        var path = new EmulatedPath(1, new PathOptions { Rate = rate, Queue = queue });
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, int.MaxValue);
        path.Act = () =>
        {
            frames.Send();
            frames.Receive();
        };
        path.Run(TimeSpan.FromSeconds(60));

        Write(path);
        Assert.InRange(frames.Received * (double)FrameSize / rate / 60, 0.9, 1);
        Assert.InRange(path.Lost / (double)path.SentByClient, 0, 0.02);
    }

    [Theory]
    [InlineData(125_000, 16_000, 5)]
    [InlineData(125_000, 64_000, 5)]
    [InlineData(125_000, 256_000, 25)]
    [InlineData(32_000, 16_000, 25)]
    [InlineData(500_000, 64_000, 50)]
    public void Path_that_becomes_slower_is_not_flooded_although_it_was_never_full(int rate, int queue, int delay)
    {
        const int MostUnconfirmed = 300; // the program, and not the path, limits the rate
        var path = new EmulatedPath(1, new PathOptions { Delay = TimeSpan.FromMilliseconds(delay) });
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, int.MaxValue);
        path.Act = () =>
        {
            frames.Send(MostUnconfirmed - path.Client.UnconfirmedFrames);
            frames.Receive();
        };
        path.Run(TimeSpan.FromSeconds(1));

        path.Options = new PathOptions { Delay = TimeSpan.FromMilliseconds(delay), Rate = rate, Queue = queue };
        path.Run(TimeSpan.FromSeconds(10));
        var (sent, received) = (path.SentByClient, frames.Received);
        path.Run(TimeSpan.FromSeconds(20));

        Write(path);
        Assert.InRange((frames.Received - received) * (double)FrameSize / rate / 20, 0.75, 1);
        Assert.InRange((path.SentByClient - sent) * 1100.0 / rate / 20, 0.75, 1.5);
    }

    [Fact]
    public void Unreliable_frames_beyond_the_path_are_dropped_at_the_sender_and_do_not_delay_newer_ones()
    {
        var path = new EmulatedPath(1, new PathOptions { Rate = 50_000, Queue = 30_000 });
        var (sent, received, delay) = (0, 0, TimeSpan.Zero);
        path.ActAt = TimeSpan.Zero;
        var frame = new byte[1002];
        (frame[0], frame[1]) = (0xE8, 0x07);
        var buffer = new byte[64 * 1024];
        path.Act = () =>
        {
            for (; path.Now >= path.ActAt; path.ActAt += TimeSpan.FromMilliseconds(10)) // 100,000 bytes a second: twice the rate of the path
            {
                BitConverter.TryWriteBytes(frame.AsSpan(2), path.Ticks);
                path.Client.AddFrames(frame, stream: -1);
                path.Client.AddFrames([2, 1, 2], stream: -1);
                sent++;
            }

            var size = path.Server.Read(buffer);
            for (var at = 0; at < size; at += buffer[at] == 2 ? 3 : frame.Length)
            {
                if (buffer[at] == 2)
                    continue;
                received++;
                delay = path.Now - TimeSpan.FromTicks(BitConverter.ToInt64(buffer, at + 2));
            }
        };

        path.Run(TimeSpan.FromSeconds(60));

        Write(path);
        TestContext.Current.TestOutputHelper?.WriteLine($"{sent} sent, {received} received, the last after {delay}, {path.ClientCounts.GetDropped(DatagramDropReason.NotSent)} dropped");
        Assert.InRange(path.ClientCounts.GetDropped(DatagramDropReason.NotSent), sent / 4, sent);
        Assert.True(delay < TimeSpan.FromSeconds(3));
        Assert.InRange(received, sent / 4, sent);
    }

    [Fact]
    public void Burst_after_sparse_messages_is_not_slower_than_that_of_a_new_connection()
    {
        var times = new TimeSpan[2];
        for (var i = 0; i < times.Length; i++)
        {
            var path = new EmulatedPath(1, new PathOptions { Rate = 1_250_000, Queue = 100_000 });
            path.ActAt = TimeSpan.Zero;
            path.Act = () =>
            {
                if (path.Now >= path.ActAt)
                {
                    path.ActAt = path.Now + TimeSpan.FromMilliseconds(100);
                    path.Client.AppendFrames([1, 1]);
                }

                path.Server.Read(new byte[100]);
            };
            if (i > 0)
                path.Run(TimeSpan.FromSeconds(4));
            var (start, burst) = (path.Now, new NumberedFrames(path.Client, path.Server, FrameSize, 100));
            path.ActAt = TimeSpan.MaxValue;
            path.Act = null;
            path.Run(TimeSpan.FromMilliseconds(100));
            path.Server.Read(new byte[1000]);
            path.Act = () =>
            {
                burst.Send();
                burst.Receive();
            };
            Assert.True(path.RunUntil(() => burst.Received == 100, TimeSpan.FromSeconds(10)));
            times[i] = path.Now - start;
        }

        Assert.InRange(times[1], TimeSpan.Zero, times[0] * 1.2);
    }

    [Fact]
    public void Outdated_sequenced_frames_are_dropped_at_the_sender()
    {
        var path = new EmulatedPath(1, new PathOptions { Rate = 20_000, Queue = 20_000 });
        for (byte i = 0; i < 100; i++)
        {
            path.Client.AddFrames([0xE8, 0x07, .. Enumerable.Repeat(i, 1000)], stream: 1);
            path.Client.AddFrames([0xE8, 0x07, .. Enumerable.Repeat(i, 1000)], stream: 2);
            path.Run(TimeSpan.FromMilliseconds(1));
        }

        path.Run(TimeSpan.FromSeconds(20));

        var buffer = new byte[256 * 1024];
        var size = path.Server.Read(buffer);
        Assert.InRange(path.ClientCounts.GetDropped(DatagramDropReason.OutdatedUnsent), 100, 200);
        Assert.Equal(0, path.ClientCounts.GetDropped(DatagramDropReason.NotSent));
        Assert.Equal([99, 99], [buffer[size - 1], buffer[size - 1003]]); // the newest one of each stream
    }

    [Fact]
    public void Round_trip_jitter_and_losses_are_those_of_the_path()
    {
        var path = new EmulatedPath(5, new PathOptions { Loss = 0.1, Jitter = TimeSpan.FromMilliseconds(1), Rate = 1_250_000, Queue = 60_000 });
        var frames = new NumberedFrames(path.Client, path.Server, FrameSize, int.MaxValue);
        path.Act = () =>
        {
            frames.Send();
            frames.Receive();
        };
        path.Run(TimeSpan.FromSeconds(60));

        Write(path);
        var state = path.Client.Path;
        Assert.InRange(state.RoundTripTime, TimeSpan.FromMilliseconds(50), TimeSpan.FromMilliseconds(110));
        Assert.InRange(state.Jitter, TimeSpan.Zero, TimeSpan.FromMilliseconds(10));
        Assert.InRange(state.SentLossShare!.Value, 0.07, 0.14);
        Assert.InRange(path.Server.Path.ReceivedLossShare!.Value, 0.07, 0.14);
    }

    private static void Write(EmulatedPath path) =>
        TestContext.Current.TestOutputHelper?.WriteLine($"{path.Now}: {path.SentByClient} and {path.SentByServer} datagrams, {path.Lost} lost, {path.Client.Path}");
}
