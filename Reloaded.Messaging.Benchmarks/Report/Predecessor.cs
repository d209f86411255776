using System.Collections.Generic;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Reloaded.Messaging 2.0's own rows, in nanoseconds a message, for the report to print beside ours.</summary>
/// <remarks>
/// Measured once from its source on a machine of the kind that the report was made on, not in the same run: to compare in orders of magnitude.
/// Its published dispatch row sends a type that nobody registered; 1.6 ns is with a handler.
/// Its JSON rows are of a configuration of its own, and are left out.
/// </remarks>
internal static class Predecessor
{
    public static readonly IReadOnlyDictionary<string, double> Nanoseconds = new Dictionary<string, double>
    {
        ["DispatchBenchmarks.HandleMessage"] = 1.6,
        ["DispatchBenchmarks.HandleMessage_EightTypes"] = 13.5,
        ["PackBenchmarks.Serialize_And_Pack"] = 18.6,
        ["PackBenchmarks.Serialize_And_Pack_Compressed"] = 43,
    };
}
