using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Hosts.Requests;

/// <summary>Group <c>request</c>: the time of each step of a request without a system call and without another thread, beside the hand-written code of group <c>peers</c>.</summary>
internal sealed class RequestFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Rounds = 41;
    private const int Blocks = 60; // of a round; about 5 ms
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(1.5);

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["request.ratio"] = "The floor returns the received bytes without reading them, and has no contracts, limits, timeouts, cancellation, counters and filters. Here, the payload becomes an object on each side (`decode`), and each message is packed into a buffer of its own before it is copied into the outbox (`pack` and `append`), because its serializer is code of the program and runs outside of the lock.",
    };

    public override string Method => string.Create(CultureInfo.InvariantCulture, $"One thread is the client and the server, and the connection is memory. {HandDriven.InFlight} requests with {HandDriven.Size} B are sent, written, served, received and returned, each step for all of them. Values are nanoseconds for each request. The floor is the hand-written socket of the group `peers`, without the socket. `request.ratio` compares the sums. The parts `begin` (object and table), `pack`, `append` (those of `send`), `read`, `handle` with `reply` (those of `serve`), `take`, `decode`, `complete` (those of `receive`, with another `read`) and `fetch` (`return`) are taken one by one. The two sides take turns in {Rounds} rounds of {Blocks} blocks. The lowest round shows the work; other rounds contain what the machine did meanwhile.");

    public override void Measure()
    {
        if (OnlyAllocations)
            return;
        var (floor, ours) = (new BareRequests(), LibraryRequests.Start());
        try
        {
            Compare(floor, ours);
        }
        finally
        {
            ours.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    private void Compare(BareRequests floor, LibraryRequests ours)
    {
        for (var watch = Stopwatch.StartNew(); watch.Elapsed < s_warmUp;)
        {
            floor.Run(1, new long[HandDriven.Steps.Length]);
            ours.Run(1, new long[HandDriven.Steps.Length]);
            ours.RunParts(new long[LibraryRequests.Parts.Length]);
        }

        var (bare, library, parts) = (new List<double[]>(), new List<double[]>(), new List<double[]>());
        for (var round = 0; round < Rounds; round++)
        {
            for (var turn = 0; turn < 2; turn++)
            {
                if ((round + turn) % 2 == 0)
                    bare.Add(Time(HandDriven.Steps.Length, ticks => floor.Run(Blocks, ticks)));
                else
                    library.Add(Time(HandDriven.Steps.Length, ticks => ours.Run(Blocks, ticks)));
            }

            parts.Add(Time(LibraryRequests.Parts.Length, ticks =>
            {
                for (var block = 0; block < Blocks; block++)
                    ours.RunParts(ticks);
            }));
        }

        Report("request.ratio", "ratio", [.. library.Zip(bare, static (one, other) => one.Sum() / other.Sum())], 1.15);
        Report("request.ns", "ns", library.ConvertAll(static steps => steps.Sum()));
        Report("request.floor.ns", "ns", bare.ConvertAll(static steps => steps.Sum()));
        for (var i = 0; i < HandDriven.Steps.Length; i++)
        {
            var step = i;
            Report($"request.{HandDriven.Steps[i]}.ns", "ns", library.ConvertAll(round => round[step]));
            Report($"request.{HandDriven.Steps[i]}.floor.ns", "ns", bare.ConvertAll(round => round[step]));
        }

        for (var i = 0; i < LibraryRequests.Parts.Length; i++)
        {
            var part = i;
            Report($"request.part.{LibraryRequests.Parts[i]}.ns", "ns", parts.ConvertAll(round => round[part]));
        }
    }

    /// <summary>Returns the nanoseconds of each step for each request.</summary>
    private static double[] Time(int steps, Action<long[]> run)
    {
        var ticks = new long[steps];
        run(ticks);
        return Array.ConvertAll(ticks, static step => step * (1e9 / Stopwatch.Frequency) / (Blocks * HandDriven.InFlight));
    }
}
