using System.Globalization;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>The same work by the library and by another library, measured alternately in one run.</summary>
/// <param name="Work">The work, as a phrase for the reader.</param>
/// <param name="Peer">The name of the other library.</param>
/// <param name="Ours">The result of this library: a time or a rate.</param>
/// <param name="Theirs">The result of the other library, in the same unit.</param>
/// <param name="Ratio">Ours divided by theirs. It is calculated for each round.</param>
public sealed record PeerComparison(string Work, string Peer, Figure Ours, Figure Theirs, Figure Ratio)
{
    // Rounds of one figure differ by more than this on a shared machine.
    private const double Undecided = 0.05;

    /// <summary>Which of the two is faster, and by which factor.</summary>
    public string Verdict
    {
        get
        {
            var advantage = Ours.Unit == "ns" ? 1 / Ratio.Value : Ratio.Value;
            return Math.Abs(advantage - 1) <= Undecided ? "equal within 5 %"
                : advantage > 1 ? string.Create(CultureInfo.InvariantCulture, $"this library, by {advantage:0.0#} ×")
                : string.Create(CultureInfo.InvariantCulture, $"**{Peer}**, by {1 / advantage:0.0#} ×");
        }
    }
}
