using System;
using System.IO;
using System.Text;
using System.Threading.Tasks;

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

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1), s_redraw = TimeSpan.FromMilliseconds(200);
    private static readonly bool s_hasColors = IsSet("FORCE_COLOR") || (!Console.IsOutputRedirected && !IsSet("NO_COLOR") && (!OperatingSystem.IsWindows() || IsSet("WT_SESSION"))); // the older console of Windows prints the codes

    /// <summary>Prints a line.</summary>
    /// <param name="text">The line.</param>
    /// <param name="tone">What it is about.</param>
    /// <param name="bright">The number of characters at its beginning that are bright, such as a command.</param>
    public static void WriteLine(string text, Tone tone = Tone.Plain, int bright = 0) =>
        Console.WriteLine(Format(text, tone, bright, Console.IsOutputRedirected ? int.MaxValue : Console.WindowWidth, s_hasColors)); // in one call, because the output of two processes meets here

    /// <summary>Waits for a step. If the step takes more than a second, a line on the terminal says how far it is, until the step has ended.</summary>
    /// <param name="step">The step.</param>
    /// <param name="describe">Describes how far the step is, in one short line.</param>
    public static Task WaitAsync(Task step, Func<string> describe) => WaitAsync(step, describe, Console.IsOutputRedirected ? null : Console.Out, TimeProvider.System);

    /// <inheritdoc cref="WaitAsync(Task, Func{string})"/>
    public static async Task WaitAsync(Task step, Func<string> describe, TextWriter? terminal, TimeProvider clock)
    {
        var shown = "";
        for (var pause = s_patience; terminal is not null && await Task.WhenAny(step, Task.Delay(pause, clock)) != step; pause = s_redraw)
        {
            var text = describe();
            terminal.Write($"\r{text.PadRight(shown.Length)}");
            shown = text;
        }

        if (shown.Length > 0)
            terminal!.Write($"\r{new string(' ', shown.Length)}\r");
        await step;
    }

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
