using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Draws the times of benchmarks as horizontal bars with their ranges: one bar for each row, in another colour if another library does the work.</summary>
internal static class BarChart
{
    private const int Width = 640; // readable at the width of a phone
    private const int Margin = 24;
    private const int Top = 60;
    private const int RowHeight = 48;

    /// <param name="title">The title.</param>
    /// <param name="rows">The rows. The list is not empty.</param>
    public static string Draw(string title, IReadOnlyList<ReportRow> rows)
    {
        var longest = rows.Max(static row => row.High);
        var height = Top + (rows.Count * RowHeight) + 8;
        var svg = new StringBuilder();
        svg.AppendLine(Text($"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {Width} {height}' role='img' aria-label='{Encode(title)}'>"));
        svg.AppendLine(SpeedChart.Style);
        svg.AppendLine(Text($"<text class='title' x='{Margin}' y='24'>{Encode(title)}</text>"));
        svg.AppendLine(Text($"<text class='note' x='{Margin}' y='44'>Nanoseconds per message; shorter is faster. Bar: mean. Line: fastest to slowest iteration.</text>"));
        for (var i = 0; i < rows.Count; i++)
        {
            var (row, y) = (rows[i], Top + (i * RowHeight));
            svg.AppendLine(Text($"<text x='{Margin}' y='{y + 16}'>{Encode(row.Name.Replace('_', ' '))}</text>"));
            svg.AppendLine(Text($"<text class='title' x='{Width - Margin}' y='{y + 16}' text-anchor='end'>{row.Nanoseconds:N1} ns</text>"));
            svg.AppendLine(Text($"<rect class='{(row.IsPeer ? "slower" : "faster")}' x='{Margin}' y='{y + 24}' width='{Math.Max(1, Length(row.Nanoseconds)):F1}' height='10' rx='2'/>"));
            svg.AppendLine(Text($"<path class='range' d='M{Margin + Length(row.Low):F1} {y + 29}H{Margin + Length(row.High):F1}M{Margin + Length(row.Low):F1} {y + 25}v8M{Margin + Length(row.High):F1} {y + 25}v8'/>"));
        }

        svg.AppendLine("</svg>");
        return svg.ToString();

        double Length(double nanoseconds) => nanoseconds / longest * (Width - (2 * Margin));
    }

    private static string Encode(string text) => WebUtility.HtmlEncode(text);

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
