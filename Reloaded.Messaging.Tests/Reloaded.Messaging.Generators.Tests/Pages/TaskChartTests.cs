using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Reloaded.Messaging.Benchmarks.Report;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The plots of figures can be read on light and dark pages, in grey, and at the width of a phone.</summary>
public sealed partial class TaskChartTests
{
    private const double White = 1;

    private static readonly double s_dark = Luminance("#0d1117");

    private static readonly List<PlotTask> s_tasks = [.. ReportPart.ReadAll(File.ReadAllText(Path.Combine(RepositoryFolder.FullName, "docs", "benchmarks", "README.md"))).SelectMany(static part => PlotTask.Of(part, []))];

    [Fact]
    public void Each_task_has_a_bar_for_each_library_with_its_name_and_value()
    {
        Assert.InRange(s_tasks.Count, 40, 100);
        Assert.All(s_tasks, static task =>
        {
            var plot = XDocument.Parse(TaskChart.Draw(task));
            var texts = plot.Descendants().Where(static element => element.Name.LocalName == "text").Select(static element => element.Value).ToList();
            var bars = plot.Descendants().Where(static element => element.Name.LocalName == "rect").ToList();

            Assert.InRange(task.Results.Count, 2, 12);
            Assert.Equal(task.Results.Count, bars.Count);
            Assert.Equal(task.Results.Count, task.Results.Select(static result => result.Library).Distinct().Count());
            Assert.All(task.Results, result => Assert.Equal([result.Library, PlotTask.Format(result.Value)], texts.SkipWhile(text => text != result.Library).Take(2)));
            Assert.Contains(texts, text => text == $"{task.Unit}, from 0; {(task.IsTime ? "shorter" : "longer")} is faster");
            Assert.Equal(PlotTask.IsOurs(task.Results[0].Library) ? "ours" : "other", (string?)bars[0].Attribute("class"));
        });
    }

    [Fact]
    public void Length_of_each_bar_is_in_proportion_to_its_value()
    {
        Assert.All(s_tasks, static task =>
        {
            var lengths = BarWidth().Matches(TaskChart.Draw(task)).Select(static match => double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)).ToList();
            var longest = task.Results.Max(static result => result.Value);

            Assert.All(task.Results.Zip(lengths), pair => Assert.Equal(Math.Max(1, pair.First.Value / longest * lengths.Max()), pair.Second, 0.051));
        });
    }

    [Fact]
    public void Colors_have_contrast_on_light_and_dark_pages_and_differ_in_grey()
    {
        var style = XDocument.Parse(TaskChart.Draw(s_tasks[0])).Descendants().First(static element => element.Name.LocalName == "style").Value;
        var parts = style.Split("@media(prefers-color-scheme:dark)");
        Assert.Equal(2, parts.Length);

        foreach (var (colors, page) in new[] { (parts[0], White), (parts[1], s_dark) })
        {
            Assert.InRange(Contrast(Color("text"), page), 4.5, 21);
            Assert.InRange(Contrast(Color(".note"), page), 4.5, 21);
            Assert.InRange(Contrast(Color(".ours"), page), 3, 21);
            Assert.InRange(Contrast(Color(".other"), page), 3, 21);
            Assert.InRange(Contrast(Color(".ours"), Color(".other")), 2, 21);

            double Color(string name) => Luminance(Regex.Match(colors, Regex.Escape(name) + @"\{[^}]*fill:(#\w{6})").Groups[1].Value);
        }
    }

    [Fact]
    public void Texts_stay_inside_the_plot_in_a_wide_font()
    {
        const double Character = 0.58; // of the size of the font: the average of a line in DejaVu Sans, which is wide
        Assert.All(s_tasks, static task => Assert.All(XDocument.Parse(TaskChart.Draw(task)).Descendants().Where(static element => element.Name.LocalName == "text").GroupBy(static text => (string?)text.Attribute("y")), static line =>
            Assert.InRange(line.Sum(static text => text.Value.Length * SizeOf((string?)text.Attribute("class"))) * Character, 0, 400 - (2 * 12))));

        static int SizeOf(string? style) => style switch { "title" => 14, "note" => 12, _ => 13 };
    }

    /// <summary>The contrast of two colors, by WCAG 2.2.</summary>
    private static double Contrast(double first, double second) => (Math.Max(first, second) + 0.05) / (Math.Min(first, second) + 0.05);

    /// <summary>The relative luminance of a color such as "#0d1117", by WCAG 2.2. It is all that remains of a color in grey.</summary>
    private static double Luminance(string color)
    {
        double[] parts = [.. Enumerable.Range(0, 3).Select(index => int.Parse(color.AsSpan(1 + (2 * index), 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture) / 255.0).Select(static part => part <= 0.04045 ? part / 12.92 : Math.Pow((part + 0.055) / 1.055, 2.4))];
        return (0.2126 * parts[0]) + (0.7152 * parts[1]) + (0.0722 * parts[2]);
    }

    [GeneratedRegex("<rect [^>]*width='([\\d.]+)'")]
    private static partial Regex BarWidth();
}
