using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>Draws the results of a task as horizontal bars from zero, one for each library. Names and values are texts, so the plot can be read without its colours.</summary>
internal static class TaskChart
{
    private const int Width = 400; // at the width of a phone, the texts stay readable
    private const int Margin = 12;
    private const int LineHeight = 18;
    private const int RowHeight = 34;
    private const int TitleLength = 46; // characters that fit into a line, also in a wide font

    /// <summary>The styles, for light and dark pages.</summary>
    private const string Style =
        "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.title,.name{font-weight:600}.title{font-size:14px}.note{font-size:12px;fill:#59636e}.ours{fill:#0550ae}.other{fill:#8c959f}"
        + "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note{fill:#9198a1}.ours{fill:#79c0ff}.other{fill:#6e7681}}</style>";

    public static string Draw(PlotTask task)
    {
        var title = Wrap(task.Title, TitleLength);
        var top = 12 + (title.Count * LineHeight) + LineHeight;
        var height = top + (task.Results.Count * RowHeight) + 8;
        var longest = task.Results.Max(static result => result.Value);
        var svg = new StringBuilder();
        svg.Append(Text($"<svg xmlns='http://www.w3.org/2000/svg' width='{Width}' height='{height}' viewBox='0 0 {Width} {height}' role='img' aria-label='{WebUtility.HtmlEncode(task.Description)}'>\n{Style}\n"));
        for (var i = 0; i < title.Count; i++)
            svg.Append(Text($"<text class='title' x='{Margin}' y='{20 + (i * LineHeight)}'>{WebUtility.HtmlEncode(title[i])}</text>\n"));
        svg.Append(Text($"<text class='note' x='{Margin}' y='{top - 8}'>{WebUtility.HtmlEncode(task.Unit)}, from 0; {(task.IsTime ? "shorter" : "longer")} is faster</text>\n"));
        for (var i = 0; i < task.Results.Count; i++)
        {
            var ((library, value), y) = (task.Results[i], top + (i * RowHeight));
            var isOurs = PlotTask.IsOurs(library);
            svg.Append(Text($"<text {(isOurs ? "class='name' " : "")}x='{Margin}' y='{y + 14}'>{WebUtility.HtmlEncode(library)}</text>\n"));
            svg.Append(Text($"<text {(isOurs ? "class='name' " : "")}x='{Width - Margin}' y='{y + 14}' text-anchor='end'>{PlotTask.Format(value)}</text>\n"));
            svg.Append(Text($"<rect class='{(isOurs ? "ours" : "other")}' x='{Margin}' y='{y + 19}' width='{Math.Max(1, value / longest * (Width - (2 * Margin))):F1}' height='9' rx='2'/>\n"));
        }

        return svg.Append("</svg>\n").ToString();
    }

    /// <summary>Breaks a text at spaces into lines that stay inside the picture.</summary>
    private static List<string> Wrap(string text, int length)
    {
        var lines = new List<string>();
        for (; text.Length > length; text = text[(lines[^1].Length + 1)..])
            lines.Add(text.LastIndexOf(' ', length) is > 0 and var end ? text[..end] : throw new ArgumentException($"The word '{text}' does not fit into a line of {length} characters."));
        lines.Add(text);
        return lines;
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
