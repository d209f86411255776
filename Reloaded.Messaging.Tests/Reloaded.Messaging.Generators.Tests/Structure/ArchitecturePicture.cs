using System.Globalization;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>Draws the folders of projects and their references as an SVG picture, with references that point down only.</summary>
/// <remarks>A reference that follows from others is left out: if A uses B and B uses C, the picture has no line from A to C.</remarks>
internal sealed class ArchitecturePicture
{
    private const int Width = 1080;
    private const int Margin = 24;
    private const int BoxHeight = 30;
    private const int RowHeight = 64;
    private const int TitleHeight = 44;

    private const string Style =
        "text{font:14px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600;font-size:16px}.note{fill:#59636e}" +
        ".project{fill:#f6f8fa;stroke:#d1d9e0}.folder{fill:#fff;stroke:#0969da}.line{fill:none;stroke:#818b98;stroke-width:1.2}" +
        "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note{fill:#9198a1}.project{fill:#151b23;stroke:#3d444d}.folder{fill:#0d1117;stroke:#4493f8}.line{stroke:#9198a1}}";

    private readonly StringBuilder _svg = new();
    private int _y = Margin;

    private ArchitecturePicture()
    {
    }

    /// <summary>Draws projects below each other.</summary>
    /// <param name="projects">The projects in the order of the picture: each uses only projects that follow. Their folders form no circle.</param>
    /// <returns>The SVG document.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the folders of a project form a circle.</exception>
    public static string Draw(IEnumerable<(string Name, string Note, FolderGraph Folders)> projects)
    {
        var picture = new ArchitecturePicture();
        foreach (var (name, note, folders) in projects)
            picture.DrawProject(name, note, folders);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {picture._y}\" role=\"img\" aria-label=\"The projects and their folders\">\n<style>{Style}</style>\n{picture._svg}</svg>\n");
    }

    private void DrawProject(string name, string note, FolderGraph graph)
    {
        var circle = graph.FindCircle();
        if (circle.Count > 0)
            throw new InvalidOperationException($"The folders of {name} form a circle, so that no picture has all lines pointing down:\n{graph.Describe(circle)}");

        var levels = graph.Folders.ToDictionary(static folder => folder, folder => LevelOf(graph, folder), StringComparer.Ordinal);
        var rows = levels.GroupBy(static level => level.Value, static level => level.Key).OrderByDescending(static row => row.Key).Select(static row => row.Order(StringComparer.Ordinal).ToList()).ToList();
        var height = TitleHeight + (rows.Count * RowHeight);
        Add($"<rect class=\"project\" x=\"{Margin}\" y=\"{_y}\" width=\"{Width - (2 * Margin)}\" height=\"{height}\" rx=\"8\"/>");
        Add($"<text class=\"title\" x=\"{Margin + 16}\" y=\"{_y + 27}\">{name}<tspan class=\"note\" font-weight=\"400\" dx=\"12\">{note}</tspan></text>");

        var places = new Dictionary<string, (int X, int Y)>(StringComparer.Ordinal);
        for (var row = 0; row < rows.Count; row++)
        {
            var step = (Width - (4 * Margin)) / rows[row].Count;
            for (var i = 0; i < rows[row].Count; i++)
                places[rows[row][i]] = ((2 * Margin) + (i * step) + (step / 2), _y + TitleHeight + (row * RowHeight) + 12);
        }

        foreach (var folder in graph.Folders)
        {
            foreach (var used in DirectReferences(graph, folder))
                DrawLine(places[folder], places[used]);
        }

        foreach (var (folder, (x, y)) in places)
        {
            var label = folder == FolderGraph.Root ? "top folder" : folder;
            var width = 24 + (label.Length * 8);
            Add($"<rect class=\"folder\" x=\"{x - (width / 2)}\" y=\"{y}\" width=\"{width}\" height=\"{BoxHeight}\" rx=\"4\"/>");
            Add($"<text x=\"{x}\" y=\"{y + 20}\" text-anchor=\"middle\">{label}</text>");
        }

        _y += height + Margin;
    }

    private void DrawLine((int X, int Y) from, (int X, int Y) to)
    {
        var (start, end) = (from.Y + BoxHeight, to.Y);
        var bend = (end - start) / 2;
        Add($"<path class=\"line\" d=\"M{from.X} {start}C{from.X} {start + bend} {to.X} {end - bend} {to.X} {end}\"/>");
    }

    /// <summary>The length of the longest path of references that begins at a folder.</summary>
    private static int LevelOf(FolderGraph graph, string folder) =>
        graph.ReferencesOf(folder).Keys.Select(used => 1 + LevelOf(graph, used)).DefaultIfEmpty(0).Max();

    private static IEnumerable<string> DirectReferences(FolderGraph graph, string folder)
    {
        var used = graph.ReferencesOf(folder).Keys.ToList();
        return used.Where(target => !used.Exists(other => other != target && Reaches(graph, other, target)));
    }

    private static bool Reaches(FolderGraph graph, string from, string to) => graph.ReferencesOf(from).Keys.Any(used => used == to || Reaches(graph, used, to));

    private void Add(FormattableString line) => _svg.Append(line.ToString(CultureInfo.InvariantCulture)).Append('\n');
}
