using System.Linq;
using Reloaded.Messaging.Benchmarks.Hosts;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>A group of figures that are measured together. Each figure is stored, and printed as soon as it is measured.</summary>
public abstract class FigureGroup(Action<Figure> print)
{
    private readonly List<Figure> _figures = [];
    private readonly List<PeerComparison> _peers = [];

    /// <summary>The figures measured so far.</summary>
    public IReadOnlyList<Figure> Figures => _figures;

    /// <summary>The comparisons with other libraries measured so far.</summary>
    public IReadOnlyList<PeerComparison> Peers => _peers;

    /// <summary>Whether only allocations are measured, and no times. Checksums are compared in either case.</summary>
    public bool OnlyAllocations { get; set; }

    /// <summary>The compared code and the number of rounds, in whole sentences for the report.</summary>
    public abstract string Method { get; }

    /// <summary>What is known about targets that are missed, in whole sentences for the report, by the name of the figure.</summary>
    public virtual IReadOnlyDictionary<string, string> Reasons => new Dictionary<string, string>();

    /// <summary>Why the group was not measured; <c>null</c> if it was.</summary>
    public string? Skipped { get; protected set; }

    /// <summary>Whether the group measures two processes, so that it is measured in several pairs of them.</summary>
    public virtual bool IsOfTwoProcesses => false;

    /// <summary>What was measured.</summary>
    public GroupResults Results => new(_figures, _peers, Cells);

    /// <inheritdoc cref="GroupResults.Cells"/>
    protected virtual IReadOnlyList<double[]> Cells => [];

    /// <summary>The processor time of the other process; <c>null</c> if there is none.</summary>
    protected Func<TimeSpan>? OtherProcessorTime { get; set; }

    /// <summary>Reports what several pairs of processes have measured: the median and the range of the pairs.</summary>
    public virtual void Load(IReadOnlyList<GroupResults> pairs)
    {
        foreach (var figure in pairs[0].Figures)
            Report(figure.Name, figure.Unit, [.. pairs.Select(pair => pair.Figures.Single(other => other.Name == figure.Name).Value)], figure.Reach, figure.IsAtLeast);
        for (var i = 0; i < pairs[0].Peers.Count; i++)
        {
            var (index, peer) = (i, pairs[0].Peers[i]);
            AddPeer(peer.Work, peer.Peer, peer.Ours.Unit, Values(static one => one.Theirs), Values(static one => one.Ours), Values(static one => one.Ratio));

            List<double> Values(Func<PeerComparison, Figure> select) => [.. pairs.Select(pair => select(pair.Peers[index]).Value)];
        }
    }

    /// <summary>Measures the whole group, which takes about a minute.</summary>
    public abstract void Measure();

    /// <summary>Runs a race. If only allocations are measured, compares the checksums and returns a race without rounds.</summary>
    protected Race RunRace(string name, int messages, Func<long> floor, Func<long> measured, int roundMilliseconds = 12) =>
        OnlyAllocations ? Race.Compare(name, messages, floor, measured) : Race.Run(name, messages, floor, measured, roundMilliseconds);

    /// <summary>Runs a duel. If only allocations are measured, returns a duel without rounds.</summary>
    protected Task<PairedRuns> RunDuelAsync(Func<TimeSpan, Task<double>> floor, Func<TimeSpan, Task<double>> ours) =>
        OnlyAllocations ? Task.FromResult(new PairedRuns()) : PairedRuns.RunAsync(floor, ours, otherProcessorTime: OtherProcessorTime);

    /// <summary>Reports a figure. Does nothing if there are no rounds, because only allocations are measured.</summary>
    protected void Report(string name, string unit, List<double> rounds, double? reach = null, bool isAtLeast = false)
    {
        if (rounds.Count == 0)
            return;
        var figure = Figure.Of(name, unit, rounds, reach, isAtLeast);
        _figures.Add(figure);
        print(figure);
    }

    /// <summary>Reports the ratio and the times of a race against the least code that does the work.</summary>
    protected void ReportRace(string name, Race race, double? reach)
    {
        Report($"{name}.ratio", "ratio", race.Ratios, reach);
        ReportSpeed(name, race);
    }

    protected void ReportSpeed(string name, Race race)
    {
        Report($"{name}.floor.ns", "ns", race.Floor);
        Report($"{name}.ns", "ns", race.Measured);
        Report($"{name}.rate", "messages/s", race.Measured.ConvertAll(static nanoseconds => 1e9 / nanoseconds));
    }

    /// <summary>Reports the ratio and the rates of a duel, and the processor time of each message.</summary>
    protected void ReportPaired(string name, PairedRuns duel, double? reach)
    {
        Report($"{name}.ratio", "ratio", duel.Ratios, reach, isAtLeast: true);
        Report($"{name}.floor.rate", "messages/s", duel.Floor);
        Report($"{name}.rate", "messages/s", duel.Ours);
        Report($"{name}.floor.processor.us", "us", duel.FloorProcessor);
        Report($"{name}.processor.us", "us", duel.OursProcessor);
    }

    /// <summary>Adds a race whose floor is another library to the comparisons.</summary>
    /// <param name="work">The work, as a phrase for the reader.</param>
    /// <param name="peer">The name of the other library.</param>
    /// <param name="race">The race.</param>
    protected void AddPeer(string work, string peer, Race race) => AddPeer(work, peer, "ns", race.Floor, race.Measured, race.Ratios);

    /// <summary>Adds a duel whose floor is another library to the comparisons.</summary>
    /// <param name="work">The work, as a phrase for the reader.</param>
    /// <param name="peer">The name of the other library.</param>
    /// <param name="duel">The duel.</param>
    /// <param name="unit">The unit of its rates.</param>
    protected void AddPeer(string work, string peer, PairedRuns duel, string unit = "messages/s") => AddPeer(work, peer, unit, duel.Floor, duel.Ours, duel.Ratios);

    /// <summary>Adds a comparison with another library.</summary>
    /// <param name="work">The work, as a phrase for the reader.</param>
    /// <param name="peer">The name of the other library.</param>
    /// <param name="unit">The unit of the results.</param>
    /// <param name="theirs">The results of the other library, in each round.</param>
    /// <param name="ours">The results of this library.</param>
    /// <param name="ratios">Ours divided by theirs, in each round. Nothing is added if the list is empty.</param>
    protected void AddPeer(string work, string peer, string unit, List<double> theirs, List<double> ours, List<double> ratios)
    {
        if (ratios.Count > 0)
            _peers.Add(new PeerComparison(work, peer, Figure.Of(work, unit, ours), Figure.Of(work, unit, theirs), Figure.Of(work, "ratio", ratios)));
    }
}
