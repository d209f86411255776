using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>The part of a page about a group of figures. The page has all values of the part, so the part can be read from it and written again.</summary>
/// <param name="Name">The name of the group.</param>
/// <param name="Title">The title.</param>
/// <param name="Method">The machine and the method, or why the group was not measured.</param>
/// <param name="Missed">A line for each target that was missed, with what is known of the cause.</param>
/// <param name="Figures">All figures; <c>null</c> if the group was not measured.</param>
/// <param name="Sections">The other tables.</param>
internal sealed record ReportPart(string Name, string Title, string Method, IReadOnlyList<string> Missed, ReportTable? Figures, IReadOnlyList<ReportSection> Sections)
{
    /// <summary>The heading of the comparisons with other libraries.</summary>
    public const string Others = "Beside other libraries";

    /// <summary>The anchor of the part on the page.</summary>
    public string Anchor => Regex.Replace($"{Title}: group {Name}".ToLowerInvariant(), @"[^\w -]", "").Replace(' ', '-');

    /// <summary>The number of figures with a target.</summary>
    public int Targets => Figures?.Rows.Count(static row => row[^1].Length > 0) ?? 0;

    /// <summary>The number of reached targets.</summary>
    public int Reached => Targets - (Figures?.Rows.Count(static row => row[^1].EndsWith("(missed)", StringComparison.Ordinal)) ?? 0);

    /// <summary>Returns the table of a section.</summary>
    /// <exception cref="InvalidDataException">Thrown when the part has no such section.</exception>
    public ReportTable this[string heading] =>
        Sections.FirstOrDefault(section => section.Heading == heading)?.Table ?? throw new InvalidDataException($"The group '{Name}' of the report has no section '{heading}'. Measure the group.");

    /// <summary>Reads the parts of a page. Plots, counts and folds are not read: they are written again from the values.</summary>
    public static List<ReportPart> ReadAll(string page) =>
        [.. Regex.Split(page.ReplaceLineEndings("\n"), "^(?=## .*: group \\w+$)", RegexOptions.Multiline).Skip(1).Select(Read)];

    private static ReportPart Read(string text)
    {
        var heading = Regex.Match(text, @"^## (.*): group (\w+)\n");
        var (method, missed, figures, sections) = ("", new List<string>(), (ReportTable?)null, new List<ReportSection>());
        var (section, paragraph) = ("", "");
        foreach (var block in text[heading.Length..].Split("\n\n").Select(static block => block.Trim('\n')))
        {
            if (block.StartsWith("### ", StringComparison.Ordinal))
                (section, paragraph) = (block[4..], "");
            else if (block.StartsWith("- ", StringComparison.Ordinal))
                missed.AddRange(block.Split('\n'));
            else if (!block.StartsWith('|'))
                (method, paragraph) = method.Length == 0 && IsText(block) ? (block, "") : (method, IsText(block) ? block : paragraph);
            else if (section.Length == 0)
                figures = ReportTable.Parse(block);
            else
                sections.Add(new ReportSection(section, paragraph, ReportTable.Parse(block)));
        }

        return new ReportPart(heading.Groups[2].Value, heading.Groups[1].Value, method, missed, figures, sections);
    }

    private static bool IsText(string block) => block.Length > 0 && !Regex.IsMatch(block, @"^(<|!\[|\d+ of \d+ targets )");

    /// <summary>Returns the part in Markdown.</summary>
    /// <param name="plots">The images of its plots, in Markdown.</param>
    public string Write(IReadOnlyList<string> plots)
    {
        var page = new StringBuilder(Text($"## {Title}: group {Name}\n\n"));
        if (Figures is null)
            return page.Append(CultureInfo.InvariantCulture, $"{Method}\n\n").ToString();

        if (plots.Count > 0)
            page.Append(CultureInfo.InvariantCulture, $"{string.Join('\n', plots)}\n\n");
        page.Append(CultureInfo.InvariantCulture, $"<details>\n<summary>Method, {(Missed.Count > 0 ? "missed targets, " : "")}and all {Figures.Rows.Count} figures</summary>\n\n{Method}\n\n");
        if (Targets > 0)
            page.Append(CultureInfo.InvariantCulture, $"{Reached} of {Targets} targets are reached.{(Missed.Count > 0 ? " Missed:" : "")}\n\n");
        if (Missed.Count > 0)
            page.Append(CultureInfo.InvariantCulture, $"{string.Join('\n', Missed)}\n\n");
        page.Append(CultureInfo.InvariantCulture, $"{Figures}\n");
        foreach (var section in Sections)
            page.Append(CultureInfo.InvariantCulture, $"### {section.Heading}\n\n{(section.Text.Length > 0 ? section.Text + "\n\n" : "")}{section.Table}\n");
        return page.Append("</details>\n\n").ToString();
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
