namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A row of a table in the report.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Nanoseconds">A message, the mean.</param>
/// <param name="Bytes">Allocated a message.</param>
/// <param name="Predecessor">What Reloaded.Messaging 2.0 takes for the same row, in nanoseconds; null where it has none.</param>
public sealed record ReportRow(string Name, double Nanoseconds, double Bytes, double? Predecessor);
