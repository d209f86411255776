using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Text;

namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>Writes the page with the table.</summary>
public static class ShapeTable
{
    public static string Write(IReadOnlyList<(Shape Shape, List<Outcome> Results)> rows)
    {
        var text = new StringBuilder();
        text.Append("# Types that can be sent\n\n");
        text.Append("Written by `dotnet run -c Release --project Reloaded.Messaging.Benchmarks.Shapes`, which compiles each shape of a type alone with each library, writes a value and reads it: ");
        text.Append(CultureInfo.InvariantCulture, $"this library, MemoryPack {Version(typeof(MemoryPack.MemoryPackSerializer))} and MessagePack {Version(typeof(MessagePack.MessagePackSerializer))} (with its standard resolver).\n\n");
        text.Append(CultureInfo.InvariantCulture, $"| | {string.Join(" | ", Codec.All.Select(static codec => codec.Name))} |\n|---|{string.Concat(Codec.All.Select(static _ => "---:|"))}\n");
        foreach (var (kind, label) in s_labels)
            text.Append(CultureInfo.InvariantCulture, $"| {label.Count} | {string.Join(" | ", Codec.All.Select((_, i) => rows.Count(row => row.Results[i].Kind == kind)))} |\n");
        text.Append("\nIn the table, a shape is a type of a member, or a form of a message. ");
        text.Append(string.Join(" ", s_labels.Select(static label => $"\"{label.Value.Cell}\": {label.Value.Meaning}.")));
        text.Append(CultureInfo.InvariantCulture, $"\n\n| shape | {string.Join(" | ", Codec.All.Select(static codec => codec.Name))} |\n|---|{string.Concat(Codec.All.Select(static _ => "---|"))}\n");
        foreach (var (shape, results) in rows)
            text.Append(CultureInfo.InvariantCulture, $"| {Escape(shape.Name)} | {string.Join(" | ", results.Select(static result => Cell(result)))} |\n");

        text.Append("\n## What to do instead\n\nThe diagnostics of this library for the shapes that it refuses:\n\n| shape | diagnostic |\n|---|---|\n");
        foreach (var (shape, results) in rows.Where(static row => row.Results[0].Kind != OutcomeKind.Works))
            text.Append(CultureInfo.InvariantCulture, $"| {Escape(shape.Name)} | {Escape(results[0].Text)} |\n");
        return text.ToString();
    }

    /// <summary>Returns what the page says of the other libraries, by the names of the shapes.</summary>
    public static Dictionary<string, List<Outcome>> ReadOthers(IEnumerable<string> page) => page
        .Select(static line => line.Split(" | "))
        .Where(static cells => cells.Length == Codec.All.Count + 1 && s_labels.Any(label => cells[^1] == $"{label.Value.Cell} |"))
        .ToDictionary(static cells => Unescape(cells[0].Substring("| ".Length)), static cells => cells.Skip(2).Select(static cell => new Outcome(s_labels.First(label => label.Value.Cell == cell.TrimEnd('|', ' ')).Key)).ToList());

    private static readonly Dictionary<OutcomeKind, (string Count, string Cell, string Meaning)> s_labels = new()
    {
        [OutcomeKind.Works] = ("shapes whose value arrives", "yes", "the value arrives"),
        [OutcomeKind.Refused] = ("refused by a diagnostic", "refused", "a diagnostic of the library says why, here with its id"),
        [OutcomeKind.Broken] = ("code that does not compile", "no code", "the compiler refuses the code without a diagnostic of the library"),
        [OutcomeKind.Throws] = ("an exception when the program runs", "throws", "writing or reading throws"),
        [OutcomeKind.Differs] = ("another value", "differs", "another value arrives, without an error"),
    };

    private static string Cell(Outcome result) => result.Kind == OutcomeKind.Refused && result.Text.StartsWith("RM", StringComparison.Ordinal) ? result.Text[..6] : s_labels[result.Kind].Cell;

    private static string Escape(string text) => text.Replace("|", "\\|", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal).Replace("[]", "\\[\\]", StringComparison.Ordinal);

    private static string Unescape(string text) => text.Replace("\\|", "|", StringComparison.Ordinal).Replace("&lt;", "<", StringComparison.Ordinal).Replace("\\[\\]", "[]", StringComparison.Ordinal);

    private static string Version(Type type) => type.Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];
}
