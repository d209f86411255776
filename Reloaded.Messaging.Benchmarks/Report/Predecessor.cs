using System.Collections.Generic;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The rows of Reloaded.Messaging 2.0, in nanoseconds per message, which the report prints next to the rows of this version.</summary>
/// <remarks>
/// Built from the source of 2.0 and measured once on a machine of the kind on which the report was made, but not in the same run. Compare only
/// orders of magnitude. The published dispatch row of 2.0 sends a type without a handler; the value here is with a handler.
/// The JSON rows of 2.0 use a different configuration and are omitted.
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
