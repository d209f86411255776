using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Connections over paths that drop large datagrams without a report, in virtual time.</summary>
public sealed class PathSizeTests
{
    private const int Full = 1227; // of a datagram full of data, with the headers of UDP and IPv4
    private const double Rate = 500_000; // bytes per second: a minute at a higher rate is longer to compute, and shows no more
    private const int Queue = 50_000;

    [Theory]
    [InlineData(1200, 1)]
    [InlineData(1200, 300)]
    [InlineData(576, 1)]
    [InlineData(576, 300)]
    public void Path_that_drops_large_datagrams_from_the_start_carries_large_frames(int largest, int count)
    {
        var path = new EmulatedPath(1, new PathOptions { LargestSize = largest, Loss = 0.01 });
        var frames = Exchange(path, 16_000, count);

        Assert.True(path.RunUntil(() => frames.Received == count, TimeSpan.FromMinutes(2)), $"{frames.Received} after {path.Now}");
        path.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(0, path.Client.UnconfirmedFrames);
        TestContext.Current.TestOutputHelper?.WriteLine($"{path.Now}: {path.SentByClient} datagrams, {path.Lost} lost");
    }

    [Theory]
    [InlineData(1200)]
    [InlineData(576)]
    public void Path_that_begins_to_drop_large_datagrams_stops_nothing_for_long_and_is_used_again_when_it_ends(int largest)
    {
        var path = new EmulatedPath(2, new PathOptions { Rate = Rate, Queue = Queue });
        var frames = Exchange(path, 1000, int.MaxValue);
        path.Run(TimeSpan.FromSeconds(2));
        Assert.Equal(Full, path.LargestArrived);

        path.Options = new PathOptions { LargestSize = largest, Rate = Rate, Queue = Queue };
        path.Run(TimeSpan.FromSeconds(5));
        var received = frames.Received;
        path.LargestArrived = 0;
        path.Run(TimeSpan.FromSeconds(5));
        Assert.InRange(frames.Received, received + 1000, int.MaxValue);
        Assert.InRange(path.LargestArrived, largest == 1200 ? 800 : 440, largest);

        path.Options = new PathOptions { Rate = Rate, Queue = Queue };
        path.Run(TimeSpan.FromSeconds(64));
        Assert.Equal(Full, path.LargestArrived);
    }

    [Fact]
    public void Small_frames_of_each_delivery_pass_a_path_that_drops_the_large_unreliable_ones()
    {
        const int Count = 400;
        var path = new EmulatedPath(3, new PathOptions { LargestSize = 576 });
        var frames = Exchange(path, 200, Count);
        for (var i = 0; i < Count; i++)
        {
            path.Client.AddFrames([0xE8, 0x07, .. Enumerable.Repeat((byte)1, 1000)], stream: -1);
            frames.Send(most: 1);
            path.Run(TimeSpan.FromMilliseconds(50));
        }

        Assert.InRange(frames.Received, Count - 20, Count); // the last ones may be on their way
    }

    [Fact]
    public void Small_unreliable_frames_are_not_joined_beyond_the_size_of_the_path()
    {
        var path = new EmulatedPath(5, new PathOptions { LargestSize = 576 });
        var frames = Exchange(path, 16_000, 20);
        Assert.True(path.RunUntil(() => frames.Received == 20, TimeSpan.FromMinutes(1)));

        var (received, buffer) = (0, new byte[1000]);
        path.Act = () => received += path.Server.Read(buffer);
        byte[] frame = [0xAC, 0x02, .. new byte[300]];
        path.Client.AddFrames([.. frame, .. frame, .. frame], stream: -1);
        path.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(3 * frame.Length, received);
    }

    [Fact]
    public void Unreliable_frames_above_the_smallest_size_follow_a_probe()
    {
        const int Count = 90;
        byte[] frame = [0xBC, 0x05, .. new byte[700]];
        var path = new EmulatedPath(6);
        path.IsLost = (isClients, _) => isClients && path.Now < TimeSpan.FromMilliseconds(500); // the first window, before the first probe
        var (received, buffer) = (0, new byte[1000]);
        path.Act = () => received += path.Server.Read(buffer);
        for (var i = 0; i < Count; i++)
            path.Client.AddFrames(frame, stream: -1);
        path.Run(TimeSpan.FromSeconds(10));

        Assert.InRange(path.Lost, 1, Count / 2);
        Assert.Equal((Count - path.Lost) * frame.Length, received);
    }

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.3)]
    public void Path_that_loses_datagrams_of_every_size_keeps_the_largest_size(double loss)
    {
        var path = new EmulatedPath(4, new PathOptions { Loss = loss, Rate = Rate, Queue = Queue });
        Exchange(path, 1000, int.MaxValue);
        path.Run(TimeSpan.FromSeconds(30));
        path.LargestArrived = 0;
        path.Run(TimeSpan.FromSeconds(1));

        Assert.Equal(Full, path.LargestArrived);
    }

    /// <summary>One datagram in a round trip, so that the first one of a round trip is the last one too.</summary>
    [Fact]
    public void Size_becomes_the_smallest_after_losses_in_three_round_trips()
    {
        var path = new PathSize(1200);
        for (var number = 0ul; number < 3; number++)
        {
            Assert.Equal(1200, path.Current);
            path.NoteLost(1200, number, number + 1, now: 0);
            path.NoteLost(1200, number, number + 1, now: 0); // in the same round trip
        }

        Assert.Equal(PathSize.Smallest, path.Current);
    }

    private static NumberedFrames Exchange(EmulatedPath path, int size, int count)
    {
        var frames = new NumberedFrames(path.Client, path.Server, size, count);
        path.Act = () =>
        {
            if (count == int.MaxValue || size > 1000)
                frames.Send();
            frames.Receive();
        };
        return frames;
    }
}
