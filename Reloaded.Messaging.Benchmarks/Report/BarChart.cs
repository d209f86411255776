using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Draws horizontal bars as SVG: one bar for each row, in a pale colour if another library does the work.</summary>
internal static class BarChart
{
    private const int Width = 860;
    private const int LabelWidth = 430;
    private const int BarHeight = 14;
    private const int RowHeight = 24;

    public static string Draw(string title, IReadOnlyList<ReportRow> rows)
    {
        var longest = rows.Max(static row => row.Nanoseconds);
        var height = 40 + (rows.Count * RowHeight);
        var svg = new StringBuilder();
        svg.AppendLine(Text($"<svg xmlns='http://www.w3.org/2000/svg' width='{Width}' height='{height}' font-family='sans-serif' font-size='12'>"));
        svg.AppendLine("<rect width='100%' height='100%' fill='white'/>");
        svg.AppendLine(Text($"<text x='10' y='20' font-size='14' font-weight='bold'>{WebUtility.HtmlEncode(title)}</text>"));
        for (var i = 0; i < rows.Count; i++)
        {
            var y = 36 + (i * RowHeight);
            svg.AppendLine(Text($"<text x='{LabelWidth - 8}' y='{y + 12}' text-anchor='end'>{WebUtility.HtmlEncode(rows[i].Name)}</text>"));
            Bar(svg, y, rows[i].Nanoseconds, longest, rows[i].IsPeer ? "#cbd5e0" : "#2b6cb0");
        }

        svg.AppendLine("</svg>");
        return svg.ToString();
    }

    private static void Bar(StringBuilder svg, int y, double value, double longest, string colour)
    {
        var length = Math.Max(1, value / longest * (Width - LabelWidth - 110));
        svg.AppendLine(Text($"<rect x='{LabelWidth}' y='{y}' width='{length:F1}' height='{BarHeight}' fill='{colour}'/>"));
        svg.AppendLine(Text($"<text x='{LabelWidth + length + 5:F1}' y='{y + 12}'>{value:N1} ns</text>"));
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
