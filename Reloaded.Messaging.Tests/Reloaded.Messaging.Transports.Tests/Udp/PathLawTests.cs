using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What enters a path, and what it carries, when it changes, when it is shared, and on random paths. In virtual time.</summary>
public sealed class PathLawTests
{
    private const double MostEntered = 1.25; // of what the path carries
    private const double LeastRate = 0.5;
    private const double LeastFilled = 0.88; // the rest has losses and a jitter of several delays at once
    private const double LeastShare = 1 / 3.0;
    private const double SnapshotsPerSecond = 60;
    private static readonly TimeSpan s_settled = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_measured = TimeSpan.FromSeconds(10);

    /// <summary>The rates are in KB/s, and the other times in milliseconds. A path with two values has the first one before the change.</summary>
    [Theory]
    [InlineData("steady", 1250, 1250, 25, 25, 0, false, 0, 62)]
    [InlineData("from 100 to 1 Mbit/s", 12_500, 125, 10, 10, 0, false, 0, 64)]
    [InlineData("from 1 to 100 Mbit/s", 125, 12_500, 10, 10, 0, false, 0, 500)]
    [InlineData("growing delay", 2500, 2500, 20, 150, 0, false, 0, 200)]
    [InlineData("jitter of a wireless link", 2500, 2500, 20, 20, 100, true, 0, 200)]
    [InlineData("jitter that reorders", 2500, 2500, 20, 20, 100, false, 0, 200)]
    [InlineData("queue of 2 s", 1250, 250, 25, 25, 0, false, 0, 500)]
    [InlineData("short queue", 1250, 1250, 25, 25, 0, false, 0, 15)]
    [InlineData("20 % loss", 1250, 1250, 25, 25, 0, false, 0.2, 62)]
    [InlineData("20 % loss of a slow link", 1250, 125, 25, 25, 0, false, 0.2, 20)]
    public void Changed_path_is_filled_and_not_flooded(string name, int rateBefore, int rate, int delayBefore, int delay, int jitter, bool keepsOrder, double loss, int queue)
    {
        var path = new EmulatedPath(1, Options(1000.0 * rateBefore, delayBefore, 0, keepsOrder, 0, 1000 * Math.Max(queue, rateBefore / 25)));
        var traffic = new PathTraffic(path, (path.Client, path.Server), isInteractive: true);
        Drive(path, traffic);
        path.Run(s_measured);

        path.Options = Options(1000.0 * rate, delay, jitter, keepsOrder, loss, 1000 * queue);
        var roundTrip = RoundTripOf(path.Options);
        path.Run(TimeSpan.FromTicks(Math.Max(s_settled.Ticks, 5 * roundTrip.Ticks)));
        var (start, entered, received, snapshots) = (path.Now, path.EnteredBytes, traffic.Received, traffic.Snapshots);
        path.Run(s_measured);

        var carried = path.Options.Rate * s_measured.TotalSeconds;
        TestContext.Current.TestOutputHelper?.WriteLine($"{name}: entered {(path.EnteredBytes - entered) / carried:0.00}, received {(traffic.Received - received) / carried:0.00}");
        Assert.InRange((path.EnteredBytes - entered) / carried, 0, MostEntered);
        Assert.InRange((traffic.Received - received) / carried, LeastRate, 1);
        Assert.InRange((traffic.Snapshots - snapshots) / s_measured.TotalSeconds, 0.9 * SnapshotsPerSecond * (1 - loss), SnapshotsPerSecond + 1);
        if (loss == 0)
            Assert.All(traffic.Waits.Where(wait => wait.SentAt >= start), wait => Assert.InRange(wait.Wait, TimeSpan.Zero, (3 * roundTrip) + TimeSpan.FromMilliseconds(100)));
    }

    [Fact]
    public void Random_paths_are_never_flooded_and_mostly_filled()
    {
        var (filled, all) = (0, 0);
        for (var seed = 1; seed <= Extent.Of(25, 60, 1000); seed++)
        {
            foreach (var phase in RunWorld(seed))
            {
                Assert.True(phase.Entered <= MostEntered, $"World {seed}: {phase}");
                all++;
                filled += phase.Received >= LeastRate ? 1 : 0;
            }
        }

        TestContext.Current.TestOutputHelper?.WriteLine($"{filled} of {all} phases are filled");
        Assert.InRange(filled / (double)all, LeastFilled, 1);
    }

    [Theory]
    [InlineData(300, 10, 20)]
    [InlineData(1250, 25, 62)]
    [InlineData(1250, 25, 180)]
    [InlineData(2500, 50, 500)]
    public void Two_connections_share_a_path(int rate, int delay, int queue)
    {
        var path = new EmulatedPath(1, Options(1000.0 * rate, delay, 0, false, 0, 1000 * queue));
        var first = new PathTraffic(path, (path.Client, path.Server), isInteractive: false);
        Drive(path, first);
        path.Run(s_settled);
        var second = new PathTraffic(path, path.AddPair(), isInteractive: false);

        AssertShared(path, () => first.Received, () => second.Received, [first.Act, second.Act], LeastShare);
    }

    /// <summary>The share of a flow with CUBIC beside one connection.</summary>
    [Theory]
    [InlineData(1250, 25, 62, 0.3333)]
    public void Connection_shares_a_path_with_Cubic(int rate, int delay, int queue, double leastOfCubic)
    {
        var path = new EmulatedPath(1, Options(1000.0 * rate, delay, 0, false, 0, 1000 * queue));
        var ours = new PathTraffic(path, (path.Client, path.Server), isInteractive: false);
        var cubic = new CubicFlow(path);

        AssertShared(path, () => ours.Received, () => cubic.Received, [ours.Act, cubic.Send], leastOfCubic);
    }

    private static void AssertShared(EmulatedPath path, Func<long> first, Func<long> second, Action[] acts, double leastOfSecond)
    {
        path.Act = () => Array.ForEach(acts, static act => act());
        path.Run(s_measured);
        var (before, beforeSecond) = (first(), second());
        path.Run(2 * s_measured);

        double received = first() - before, receivedSecond = second() - beforeSecond;
        var both = received + receivedSecond;
        TestContext.Current.TestOutputHelper?.WriteLine($"{received / both:0.00} and {receivedSecond / both:0.00} of {both / path.Options.Rate / 20:0.00}");
        Assert.InRange(both / path.Options.Rate / 20, 0.75, 1.01);
        Assert.InRange(received / both, LeastShare, 1 - leastOfSecond);
    }

    /// <summary>Sends bulk data over a path that changes at random.</summary>
    /// <returns>What entered and what was received in each phase, from two seconds or five round trips after the change, as a share of what the path carries.</returns>
    private static List<Phase> RunWorld(int seed)
    {
        var random = new Random(seed);
        double rate = Between(64e3, 3e6), delay = Between(2, 150), jitter = Jitter(), loss = Loss(), queue = Between(0.5, 8);
        var keepsOrder = random.Next(2) == 0;
        var path = new EmulatedPath(seed);
        var traffic = new PathTraffic(path, (path.Client, path.Server), isInteractive: random.Next(2) == 0);
        Drive(path, traffic);
        List<Phase> phases = [];
        for (var left = 2 + random.Next(3); left > 0; left--)
        {
            rate = Math.Min(rate, 300e3 / delay * 500 / (1 + jitter)); // the room of a receiver is not the limit
            path.Options = Options(rate, delay, jitter * delay, keepsOrder, loss, (int)Math.Clamp(queue * rate * 2 * delay / 1000, 12_000, Math.Max(12_000, 2 * rate)));
            path.Run(TimeSpan.FromTicks(Math.Max(s_settled.Ticks, 5 * RoundTripOf(path.Options).Ticks)));
            var (start, entered, received) = (path.Now, path.EnteredBytes, traffic.Received);
            path.Run(TimeSpan.FromSeconds(6 + (3 * random.NextDouble())));
            var carried = rate * (path.Now - start).TotalSeconds;
            phases.Add(new Phase(path.Options.Rate, path.Options.Delay, path.Options.Jitter, loss, path.Options.Queue, (path.EnteredBytes - entered) / carried, (traffic.Received - received) / carried));
            var changes = 1 + random.Next(31);
            (rate, delay) = ((changes & 1) != 0 ? Between(64e3, 3e6) : rate, (changes & 2) != 0 ? Between(2, 150) : delay);
            (jitter, loss) = ((changes & 4) != 0 ? Jitter() : jitter, (changes & 8) != 0 ? Loss() : loss);
            queue = (changes & 16) != 0 ? Between(0.5, 8) : queue;
        }

        return phases;

        double Between(double least, double most) => least * Math.Pow(most / least, random.NextDouble());
        double Jitter() => random.Next(2) == 0 ? 0 : 5 * random.NextDouble(); // in delays
        double Loss() => random.Next(2) == 0 ? 0 : 0.2 * random.NextDouble();
    }

    private static void Drive(EmulatedPath path, PathTraffic traffic) => path.Act = () =>
    {
        traffic.Act();
        path.ActAt = traffic.NextAct;
    };

    private static PathOptions Options(double rate, double delay, double jitter, bool keepsOrder, double loss, int queue) => new()
    {
        Rate = rate,
        Delay = TimeSpan.FromMilliseconds(delay),
        Jitter = TimeSpan.FromMilliseconds(jitter),
        KeepsOrder = keepsOrder,
        Loss = loss,
        Queue = queue,
    };

    private static TimeSpan RoundTripOf(PathOptions options) => 2 * (options.Delay + options.Jitter);

    private sealed record Phase(double Rate, TimeSpan Delay, TimeSpan Jitter, double Loss, int Queue, double Entered, double Received);
}
