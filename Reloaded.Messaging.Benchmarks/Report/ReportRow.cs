namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A row of a table in the report.</summary>
/// <param name="Name">The name of the measurement.</param>
/// <param name="Nanoseconds">The mean time per message, in nanoseconds.</param>
/// <param name="Bytes">The bytes allocated per message.</param>
/// <param name="Predecessor">The time of Reloaded.Messaging 2.0 for the same row, in nanoseconds; <c>null</c> if 2.0 does not have the row.</param>
public sealed record ReportRow(string Name, double Nanoseconds, double Bytes, double? Predecessor);
