namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A table of a group, with its heading.</summary>
/// <param name="Heading">The heading.</param>
/// <param name="Text">The paragraph before the table; an empty text if there is none.</param>
/// <param name="Table">The table.</param>
internal sealed record ReportSection(string Heading, string Text, ReportTable Table);
