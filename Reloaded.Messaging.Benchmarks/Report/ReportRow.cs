namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A row of a table in the report.</summary>
/// <param name="Name">The name of the measurement.</param>
/// <param name="Nanoseconds">The mean time per message, in nanoseconds.</param>
/// <param name="Low">The fastest iteration, in nanoseconds per message.</param>
/// <param name="High">The slowest iteration, in nanoseconds per message.</param>
/// <param name="Bytes">The bytes allocated per message.</param>
/// <param name="IsPeer">Whether another library does the work.</param>
public sealed record ReportRow(string Name, double Nanoseconds, double Low, double High, double Bytes, bool IsPeer);
