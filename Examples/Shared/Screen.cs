using System;
using System.Text;

namespace Examples;

/// <summary>What a line is about. It decides the color of the line.</summary>
public enum Tone
{
    Plain,
    Done,
    Fault,
    Dim,
}

/// <summary>
/// Prints lines in color on a terminal, broken at blanks to its width. In a file or a pipe, or with the environment variable <c>NO_COLOR</c>, a line has no color.
/// With <c>FORCE_COLOR</c>, a pipe has colors too: so README's picture has those of a terminal.
/// </summary>
public static class Screen
{
    private const string Indent = "    ";

    private static readonly bool s_hasColors = IsSet("FORCE_COLOR") || (!Console.IsOutputRedirected && !IsSet("NO_COLOR") && (!OperatingSystem.IsWindows() || IsSet("WT_SESSION"))); // the older console of Windows prints the codes

    /// <summary>Prints a line.</summary>
    /// <param name="text">The line.</param>
    /// <param name="tone">What it is about.</param>
    /// <param name="bright">The number of characters at its beginning that are bright, such as a command.</param>
    public static void WriteLine(string text, Tone tone = Tone.Plain, int bright = 0) =>
        Console.WriteLine(Format(text, tone, bright, Console.IsOutputRedirected ? int.MaxValue : Console.WindowWidth, s_hasColors)); // in one call, because the output of two processes meets here

    /// <summary>Returns a line, broken at blanks into rows of at most <paramref name="width"/> characters. Later rows are indented.</summary>
    public static string Format(string text, Tone tone, int bright, int width, bool hasColors)
    {
        var rows = new StringBuilder();
        var indent = "";
        for (var rest = text; ; indent = Indent)
        {
            var end = indent.Length + rest.Length > width ? rest.LastIndexOf(' ', Math.Max(0, width - indent.Length)) : -1;
            var row = end > 0 ? rest[..end] : rest;
            var head = indent.Length == 0 ? Math.Min(bright, row.Length) : 0;
            rows.Append(indent).Append(Paint(row[..head], "1", hasColors)).Append(Paint(row[head..], Code(tone), hasColors));
            if (end <= 0)
                return rows.ToString();
            rows.AppendLine();
            rest = rest[(end + 1)..].TrimStart();
        }
    }

    private static string Paint(string text, string code, bool hasColors) => hasColors && code.Length > 0 && text.Length > 0 ? $"\u001b[{code}m{text}\u001b[0m" : text;

    private static string Code(Tone tone) => tone switch { Tone.Done => "36", Tone.Fault => "33", Tone.Dim => "90", _ => "" };

    private static bool IsSet(string variable) => !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(variable));
}
