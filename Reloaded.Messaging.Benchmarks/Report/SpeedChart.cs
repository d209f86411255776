using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Draws how many times as fast as its alternatives the library is, on a logarithmic axis, with the range of the rounds.</summary>
internal static class SpeedChart
{
    private const int Width = 640; // readable at the width of a phone
    private const int Margin = 24;
    private const int Factors = 132; // the column with the factors, to the right of the bars
    private const int Top = 46;
    private const int LineHeight = 18;
    private const int RowHeight = 66; // of a row with one line for the work and one for the results
    private const int WorkLength = 64; // characters that fit into a line, also in a wide font
    private const int NoteLength = 74;

    /// <summary>The styles of all plots, for light and dark pages.</summary>
    public const string Style =
        "<style>text{font:15px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}.note{font-size:13px;fill:#59636e}.grid{stroke:#d1d9e0}.one{stroke:#59636e;stroke-width:1.5}"
        + ".faster{fill:#0969da}.slower{fill:#bc4c00}.range{stroke:#1f2328;stroke-width:1.5}.floor{fill:#fff;stroke:#1f2328;stroke-width:1.5}@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note{fill:#9198a1}.grid{stroke:#3d444d}"
        + ".one{stroke:#9198a1}.faster{fill:#4493f8}.slower{fill:#f0883e}.range{stroke:#f0f6fc}.floor{fill:#0d1117;stroke:#f0f6fc}}</style>";

    private static readonly double[] s_ticks = [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];

    /// <param name="title">The title.</param>
    /// <param name="rows">The rows. The list is not empty.</param>
    public static string Draw(string title, IReadOnlyList<SpeedRow> rows)
    {
        var low = Math.Min(0.5, rows.Min(static row => Math.Min(row.Low, row.Floor ?? row.Low)));
        var high = Math.Max(2, rows.Max(static row => Math.Max(row.High, row.Floor ?? row.High)));
        string[] legend = ["Speed in multiples of the alternative. Bar: median. Line: lowest to highest round.", .. rows.Any(static row => row.Floor is not null) ? ["Diamond: hand-written code that does the same work."] : Array.Empty<string>()];
        var bars = new List<double>();
        var body = new StringBuilder();
        var y = Top + (legend.Length * LineHeight);
        foreach (var row in rows)
        {
            var (work, note) = (Wrap(row.Work, WorkLength), Wrap($"{Result(row.Ours)}; {row.Alternative}: {Result(row.Theirs)}", NoteLength));
            WriteLines(body, work, "", y + 18);
            WriteLines(body, note, "class='note' ", y + 18 + (work.Count * LineHeight));
            y += (work.Count + note.Count - 2) * LineHeight;
            var (left, right) = (Math.Min(At(1), At(row.Factor)), Math.Max(At(1), At(row.Factor)));
            body.AppendLine(Text($"<text class='title' x='{Width - Margin}' y='{y + 54}' text-anchor='end'>{row.Factor:0.0#} × as fast</text>"));
            body.AppendLine(Text($"<rect class='{(row.Factor >= 1 ? "faster" : "slower")}' x='{left:F1}' y='{y + 44}' width='{Math.Max(1, right - left):F1}' height='10' rx='2'/>"));
            body.AppendLine(Text($"<path class='range' d='M{At(row.Low):F1} {y + 49}H{At(row.High):F1}M{At(row.Low):F1} {y + 45}v8M{At(row.High):F1} {y + 45}v8'/>"));
            if (row.Floor is { } floor)
                body.AppendLine(Text($"<path class='floor' d='M{At(floor):F1} {y + 43}l6 6l-6 6l-6 -6z'/>"));
            bars.Add(y + 40);
            y += RowHeight;
        }

        var height = y + 34;
        var svg = new StringBuilder();
        svg.AppendLine(Text($"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {Width} {height}' role='img' aria-label='{Encode(title)}'>"));
        svg.AppendLine(Style);
        svg.AppendLine(Text($"<text class='title' x='{Margin}' y='24'>{Encode(title)}</text>"));
        WriteLines(svg, legend, "class='note' ", 44);
        foreach (var tick in s_ticks.Where(tick => tick >= low && tick <= high))
        {
            svg.AppendLine(Text($"<path class='{(tick == 1 ? "one" : "grid")}' d='{string.Concat(bars.Select(bar => Text($"M{At(tick):F1} {bar}v18")))}'/>"));
            svg.AppendLine(Text($"<text class='note' x='{At(tick):F1}' y='{height - 12}' text-anchor='middle'>{tick:0.###} ×</text>"));
        }

        svg.Append(body);
        svg.AppendLine("</svg>");
        return svg.ToString();

        double At(double factor) => Margin + 10 + (Math.Log(factor / low) / Math.Log(high / low) * (Width - Factors - (2 * (Margin + 10))));
    }

    private static void WriteLines(StringBuilder svg, IReadOnlyList<string> lines, string attribute, int y)
    {
        for (var i = 0; i < lines.Count; i++)
            svg.AppendLine(Text($"<text {attribute}x='{Margin}' y='{y + (i * LineHeight)}'>{Encode(lines[i])}</text>"));
    }

    /// <summary>Breaks a text at spaces into lines that stay inside the picture.</summary>
    private static List<string> Wrap(string text, int length)
    {
        var lines = new List<string>();
        for (; text.Length > length; text = text.Substring(lines[^1].Length + 1))
        {
            var end = text.LastIndexOf(' ', length);
            lines.Add(end > 0 ? text.Substring(0, end) : throw new ArgumentException($"The word '{text}' does not fit into a line of {length} characters."));
        }

        lines.Add(text);
        return lines;
    }

    /// <summary>A result with three digits and a unit for the reader.</summary>
    private static string Result(Figure figure)
    {
        var (value, unit) = (figure.Value, figure.Unit) switch
        {
            ( >= 1e6, "ns") => (figure.Value / 1e6, "ms"),
            ( >= 1e3, "ns") => (figure.Value / 1e3, "µs"),
            ( >= 1e6, "messages/s") => (figure.Value / 1e6, "million/s"),
            ( >= 1e3, "messages/s") => (figure.Value / 1e3, "thousand/s"),
            _ => (figure.Value, figure.Unit),
        };
        return string.Create(CultureInfo.InvariantCulture, $"{value.ToString(value >= 100 ? "0" : value >= 10 ? "0.0" : "0.00", CultureInfo.InvariantCulture)} {unit}");
    }

    private static string Encode(string text) => WebUtility.HtmlEncode(text);

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
