#:property PublishAot=false
#:property NoWarn=$(NoWarn);CA1303;CA1852;CS1591

// Draws docs/mod-loader.svg, the moving picture of a run of Examples/ModLoader, from the lines of that run in picture.json:
//
//     dotnet run site/picture.cs              draws the picture again
//     dotnet run site/picture.cs -- record    runs the example, and writes both files
//     dotnet run site/picture.cs -- check     ends with 1 if the picture is not that of its lines, or the example prints other lines
//
// The last two need "dotnet build -c Release -f net10.0 Examples/ModLoader".
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

// The run takes about a second. A reader needs more time, above all at the end, but no long waits.
const int Columns = 68, Visible = 16, LineHeight = 20, Slower = 9, Pause = 5;
const double Letter = 8.43, Longest = 1.2;

var site = (string)AppContext.GetData("EntryPointFileDirectoryPath")!;
var root = Path.GetDirectoryName(site)!;
var recording = Path.Combine(site, "picture.json");
var picture = Path.Combine(root, "docs", "mod-loader.svg");
try
{
    if (args is ["record"])
        File.WriteAllText(recording, $"[\n{string.Join(",\n", RunExample().Select(static line => $"[{line.Time},{JsonSerializer.Serialize(line.Text, s_readable)}]"))}\n]\n");

    List<Line> lines = [.. JsonNode.Parse(File.ReadAllText(recording))!.AsArray().Select(static line => new Line((int)line![0]!, (string)line[1]!))];
    if (args is not ["check"])
    {
        File.WriteAllText(picture, Draw(lines));
        return 0;
    }

    if (File.ReadAllText(picture) != Draw(lines))
        throw new InvalidOperationException("docs/mod-loader.svg is not the picture of site/picture.json. Run 'dotnet run site/picture.cs' to draw it again.");
    var (recorded, printed) = (Sorted(lines), Sorted(RunExample()));
    if (!recorded.SequenceEqual(printed))
        throw new InvalidOperationException($"The example prints other lines than those of site/picture.json. Run 'dotnet run site/picture.cs -- record' to record it again. The lines that differ: {string.Join(" / ", recorded.Except(printed).Concat(printed.Except(recorded)))}");
    return 0;
}
catch (InvalidOperationException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

List<Line> RunExample()
{
    var program = Path.Combine(root, "Examples/ModLoader/bin/Release/net10.0/ModLoader.dll");
    if (!File.Exists(program))
        throw new InvalidOperationException($"{program} does not exist. Run 'dotnet build -c Release -f net10.0 Examples/ModLoader' first.");
    using var process = Process.Start(new ProcessStartInfo("dotnet", [program]) { RedirectStandardInput = true, RedirectStandardOutput = true, StandardOutputEncoding = Encoding.UTF8, Environment = { ["FORCE_COLOR"] = "1" } })!;
    process.StandardInput.Close();
    List<Line> lines = [];
    long? start = null;
    while (process.StandardOutput.ReadLine() is { } text)
    {
        start ??= Stopwatch.GetTimestamp();
        lines.Add(new((int)Stopwatch.GetElapsedTime(start.Value).TotalMilliseconds, text));
    }

    process.WaitForExit();
    return process.ExitCode == 0 ? lines : throw new InvalidOperationException($"The example ended with {process.ExitCode}:\n{string.Join('\n', lines.Select(static line => line.Text))}");
}

// The lines without what differs between runs: numbers, ids of pipes, and the blanks that align them. An error of the game may come before or after the reply.
static List<string> Sorted(List<Line> lines) => [.. lines.Select(static line => Replace(line.Text,
    (@"shm:\S+", "shm"), (@"\b(?<!FAULT )\d[\d.,]*", "#"), (" +", " "), ("-{2,}", "--"), (@"# (ms|µs|s)\b", "# s"))).Order(StringComparer.Ordinal)];

static string Replace(string text, params (string Pattern, string By)[] changes) => changes.Aggregate(text, static (text, change) => Regex.Replace(text, change.Pattern, change.By));

static string Plain(string text) => Regex.Replace(text, "\u001b\\[\\d+m", "");

// The color of a line on a terminal: that of its part that is not bright.
static string ColorOf(string text) => s_colors.GetValueOrDefault(Regex.Match(text, "\u001b\\[(33|36|90)m").Groups[1].Value, s_colors[""]);

// A line is broken at blanks, and its later rows are indented.
static List<string> RowsOf(string text)
{
    List<string> rows = [];
    var rest = Regex.Replace(text, @"^(> .*?) {3,}(.*? ms) {3}", static match => $"{match.Groups[1].Value,-32}{match.Groups[2].Value.Trim(),9}  ");
    for (var indent = ""; rest.Length + indent.Length > Columns; indent = "    ")
    {
        var end = rest.LastIndexOf(' ', Columns - indent.Length);
        rows.Add(indent + rest[..end]);
        rest = rest[(end + 1)..];
        if (rest.Length + 4 <= Columns)
            return [.. rows, $"    {rest}"];
    }

    return [.. rows, rest];
}

// In the first row of a command, what was entered is bright.
static string Spans(string row, string text)
{
    var bright = Regex.Match(text, "^\u001b\\[1m(.*?)\u001b").Groups[1].Value;
    static string Span(string text, string color) => $"<tspan fill=\"{color}\">{Replace(text, ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))}</tspan>";
    return bright.Length > 0 && row.StartsWith(bright, StringComparison.Ordinal) ? Span(bright, s_colors["1"]) + Span(row[bright.Length..], ColorOf(text)) : Span(row, ColorOf(text));
}

// For a reader who prefers no motion, the picture shows the end of the run.
static string Draw(List<Line> lines)
{
    var shown = 0.0;
    List<(double Time, string Text)> timed = [.. lines.Select((line, index) => (shown += Math.Min((line.Time - (index > 0 ? lines[index - 1].Time : 0)) * Slower / 1000.0, Longest), line.Text))];
    var total = shown + Pause;
    List<(double At, string Text)> rows = [.. timed.SelectMany(line => RowsOf(Plain(line.Text)).Select(row => (line.Time / total * 100, Spans(row, line.Text))))];
    var (width, height) = ((int)Math.Ceiling(Columns * Letter) + 40, (Visible * LineHeight) + 64);
    static int Scrolled(int index) => -Math.Max(0, index + 1 - Visible) * LineHeight;
    static string Percent(double at) => $"{Fixed(at)}%";

    var times = rows.Select(static row => row.At).Distinct().ToList();
    var steps = times.Select(at => (At: at, Y: Scrolled(rows.FindLastIndex(row => row.At <= at)))).ToList();
    var scroll = steps.Where((step, index) => index == 0 || step.Y != steps[index - 1].Y).Append((At: 100, Y: Scrolled(rows.Count - 1)))
        .Select(static step => $"{Percent(step.At)}{{transform:translateY({step.Y}px)}}");
    var shows = times.Select(static (at, index) => $"@keyframes s{index}{{0%{{opacity:0}}{Percent(Math.Max(at, .01))},100%{{opacity:1}}}}.s{index}{{animation-name:s{index}}}");

    var texts = rows.Select((row, index) => $"<text class=\"r s{times.IndexOf(row.At)}\" x=\"20\" y=\"{58 + (index * LineHeight)}\">{row.Text}</text>");

    return $$$"""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{{width}}} {{{height}}}" role="img" aria-label="A tool lists, loads and suspends the mods of a game, and finds the game again after it was killed">
        <!-- Written by site/picture.cs from a run of Examples/ModLoader, {{{Slower}}} times slower, without waits of more than {{{Longest.ToString(CultureInfo.InvariantCulture)}}} s. -->
        <style>
        text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
        .r,.w{animation:{{{Fixed(total)}}}s step-end infinite}
        .w{animation-name:w;transform:translateY({{{Scrolled(rows.Count - 1)}}}px)}
        @keyframes w{{{{string.Concat(scroll)}}}}
        {{{string.Join('\n', shows)}}}
        @media(prefers-reduced-motion:reduce){.r,.w{animation:none}}
        </style>
        <rect width="{{{width}}}" height="{{{height}}}" rx="12" fill="#14233a"/>
        <circle cx="22" cy="20" r="6" fill="#f2b84b"/><circle cx="42" cy="20" r="6" fill="#7fd1c1"/><circle cx="62" cy="20" r="6" fill="#8fa3bd"/>
        <text x="{{{(width / 2.0).ToString(CultureInfo.InvariantCulture)}}}" y="25" text-anchor="middle" fill="{{{s_colors["90"]}}}">a game and its tool, in two processes</text>
        <clipPath id="c"><rect y="42" width="{{{width}}}" height="{{{(Visible * LineHeight) + 4}}}"/></clipPath>
        <g clip-path="url(#c)"><g class="w">
        {{{string.Join('\n', texts)}}}
        </g></g>
        </svg>

        """;
}

static string Fixed(double number) => number.ToString("0.00", CultureInfo.InvariantCulture);

/// <summary>A printed line, and the milliseconds since the first.</summary>
internal sealed record Line(int Time, string Text);

internal static partial class Program
{
    private static readonly JsonSerializerOptions s_readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    // The colors of the picture, by the codes by which the example sets them on a terminal.
    private static readonly Dictionary<string, string> s_colors = new()
    {
        ["1"] = "#ffffff",
        ["33"] = "#f2b84b",
        ["36"] = "#7fd1c1",
        ["90"] = "#8fa3bd",
        [""] = "#d5deea",
    };
}
