namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>What one pair of processes has measured.</summary>
/// <param name="Figures">The figures.</param>
/// <param name="Peers">The comparisons with other libraries.</param>
/// <param name="Cells">The medians of each row of the tables of a group, in their order; empty if the group has no tables.</param>
public sealed record GroupResults(IReadOnlyList<Figure> Figures, IReadOnlyList<PeerComparison> Peers, IReadOnlyList<double[]> Cells);
