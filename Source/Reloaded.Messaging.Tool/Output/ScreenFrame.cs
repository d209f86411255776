using System.Globalization;
using System.Text;

namespace Reloaded.Messaging.Tool;

/// <summary>The lines of a screen. No line is wider than the screen, and lines after its height are left out.</summary>
/// <param name="width">The number of columns, at least 1.</param>
/// <param name="height">The number of lines, at least 1.</param>
/// <param name="isUnicode">Whether the terminal knows more than ASCII.</param>
internal sealed class ScreenFrame(int width, int height, bool isUnicode)
{
    private readonly List<List<(string Text, Ink Ink)>> _lines = [];

    public int Width => width;

    public bool IsUnicode => isUnicode;

    /// <summary>The number of lines that can be added.</summary>
    public int Left => height - _lines.Count;

    /// <summary>Adds a line of texts, which are cut at the width. Control characters in them are replaced.</summary>
    public void Add(params ReadOnlySpan<(string Text, Ink Ink)> parts)
    {
        if (Left <= 0)
            return;
        var line = new List<(string Text, Ink Ink)>();
        var left = width;
        foreach (var (text, ink) in parts)
        {
            if (left == 0)
                break;
            var shown = CellText.Cut(CellText.Clean(text), left, isUnicode);
            left -= CellText.Measure(shown);
            line.Add((shown, ink));
        }

        _lines.Add(line);
    }

    /// <summary>Adds a line in one ink.</summary>
    public void Add(string text, Ink ink = Ink.Plain) => Add((text, ink));

    /// <summary>Adds empty lines until a number of lines is left.</summary>
    public void SkipTo(int left)
    {
        while (Left > left)
            Add("");
    }

    /// <summary>Returns the text that draws the lines over those of the frame before.</summary>
    /// <param name="hasColors">Whether colors are used.</param>
    public string Draw(bool hasColors)
    {
        var text = new StringBuilder();
        for (var i = 0; i < height; i++)
        {
            text.Append(CultureInfo.InvariantCulture, $"\u001b[{i + 1}H\u001b[2K");
            foreach (var (part, ink) in i < _lines.Count ? _lines[i] : [])
            {
                var code = Code(ink, hasColors);
                text.Append(code is null ? part : $"\u001b[{code}m{part}\u001b[m");
            }
        }

        return text.ToString();
    }

    private static string? Code(Ink ink, bool hasColors) => ink switch
    {
        Ink.Bold => "1",
        Ink.Dim => "2",
        Ink.Selected => "7",
        Ink.Plot when hasColors => "36",
        Ink.Warning when hasColors => "33",
        _ => null,
    };
}
