using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging;

namespace Fleet;

/// <summary>The trace of one match. Each process prints its spans as lines, which the first process reads. A real fleet exports them with OpenTelemetry.</summary>
public static class MatchTrace
{
    private const string Mark = "span";

    private static readonly ActivitySource s_source = new("Fleet");

    /// <summary>Prints the spans of this process that belong to the trace.</summary>
    public static void Print(string process) => ActivitySource.AddActivityListener(new ActivityListener
    {
        ShouldListenTo = static source => source.Name is "Fleet" or MessagingTracing.SourceName,
        // The trace begins in the lobby. The spans of the other matches have no parent that is recorded, and are not created.
        Sample = static (ref ActivityCreationOptions<ActivityContext> span) => span.Source.Name == "Fleet" || span.Parent.TraceFlags.HasFlag(ActivityTraceFlags.Recorded)
            ? ActivitySamplingResult.AllDataAndRecorded
            : ActivitySamplingResult.None,
        ActivityStopped = span => Console.WriteLine(string.Join('\t', Mark, span.TraceId, span.SpanId, span.ParentSpanId, span.StartTimeUtc.Ticks, span.Duration.Ticks, process, span.DisplayName)),
    });

    /// <summary>Starts the trace.</summary>
    public static Activity? Start() => s_source.StartActivity($"match {Roles.Matches}");

    /// <summary>Reads a line of a process.</summary>
    /// <returns>The span; <c>null</c> if the line is no span.</returns>
    public static Span? Read(string line) => line.Split('\t') is [Mark, var trace, var id, var parent, var start, var duration, var process, var name]
        ? new Span(trace, id, parent, new TimeSpan(long.Parse(start, CultureInfo.InvariantCulture)), new TimeSpan(long.Parse(duration, CultureInfo.InvariantCulture)), process, name)
        : null;

    /// <summary>Writes the spans as a tree, with the milliseconds since the start of the trace.</summary>
    public static void Write(IReadOnlyCollection<Span> spans)
    {
        if (spans.FirstOrDefault(span => spans.All(other => other.Id != span.Parent)) is { } root)
            Write(spans, root, root.Start, "");
    }

    private static void Write(IReadOnlyCollection<Span> spans, Span span, TimeSpan zero, string indent)
    {
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{(span.Start - zero).TotalMilliseconds,8:F1} ms  {span.Duration.TotalMilliseconds,6:F1} ms  {indent}{span.Name} ({span.Process})"));
        foreach (var child in spans.Where(child => child.Parent == span.Id).OrderBy(static child => child.Start))
            Write(spans, child, zero, indent + "  ");
    }
}

/// <summary>A span of the trace.</summary>
public sealed record Span(string Trace, string Id, string Parent, TimeSpan Start, TimeSpan Duration, string Process, string Name);
