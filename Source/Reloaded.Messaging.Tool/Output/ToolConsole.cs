using System.IO;
using System.Linq;
using System.Text;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Reloaded.Messaging.Tool;

/// <summary>The streams of the tool. Texts of servers may contain control characters, which a terminal obeys: they are replaced.</summary>
/// <param name="input">The standard input, for <c>decode -</c>.</param>
/// <param name="output">The results.</param>
/// <param name="error">Errors, one line each.</param>
/// <param name="terminal">The terminal to which the output goes, or <c>null</c> for a file or a pipe.</param>
/// <param name="isErrorTerminal">Whether errors go to a terminal.</param>
internal sealed class ToolConsole(TextReader input, TextWriter output, TextWriter error, ToolTerminal? terminal, bool isErrorTerminal)
{
    private static readonly TimeSpan s_drawInterval = TimeSpan.FromMilliseconds(200);

    public TextReader Input => input;

    public TextWriter Output { get; } = new PlainWriter(output);

    public TextWriter Error { get; } = new PlainWriter(error);

    /// <summary>The clock of the progress.</summary>
    public TimeProvider Clock { get; init; } = TimeProvider.System;

    public bool IsTerminal => terminal is not null;

    /// <summary>Which colors the tool uses: none if the variable <c>NO_COLOR</c> is set, and otherwise those of the terminal.</summary>
    public static ColorSystemSupport Colors => string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR")) ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors;

    /// <summary>Creates a console that draws in the terminal by control characters. Each text in it is created by <see cref="CreateText"/>.</summary>
    public IAnsiConsole CreateDrawing() => AnsiConsole.Create(new AnsiConsoleSettings { ColorSystem = Colors, Out = new AnsiConsoleOutput(output) });

    /// <summary>Takes the whole terminal for frames. Dispose the result to give it back.</summary>
    /// <returns>The screen; <c>null</c> if the output is not a terminal, or one that cannot be drawn on again.</returns>
    public FullScreen? TryOpenScreen()
    {
        if (terminal is not { KnowsSequences: true })
            return null;
        var capabilities = CreateDrawing().Profile.Capabilities;
        return new FullScreen(output, terminal, capabilities.Unicode, hasColors: capabilities.ColorSystem != ColorSystem.NoColors);
    }

    /// <summary>Creates a line that says how far a command is. It is shown where the errors go to a terminal, and no results among the lines.</summary>
    /// <param name="printsAtEnd">Whether the command prints its results only after the line was removed.</param>
    public ProgressLine CreateProgress(bool printsAtEnd = false) => new(error, isShown: isErrorTerminal && (printsAtEnd || !IsTerminal), Clock);

    /// <summary>Draws in the terminal until a task has completed, and once more then. Where the output is not a terminal, only waits.</summary>
    /// <param name="ending">The task. Its exception is not thrown here.</param>
    /// <param name="draw">Draws the state of the moment; gets whether the terminal knows more than ASCII. It must not draw texts of servers except by <see cref="CreateText"/>.</param>
    public async Task DrawUntilAsync(Task ending, Func<bool, IRenderable> draw)
    {
        if (!IsTerminal)
        {
            await Task.WhenAny(ending);
            return;
        }

        var drawing = CreateDrawing();
        var isUnicode = drawing.Profile.Capabilities.Unicode;
        await drawing.Live(draw(isUnicode)).StartAsync(async live =>
        {
            while (await Task.WhenAny(ending, Task.Delay(s_drawInterval)) != ending)
                live.UpdateTarget(draw(isUnicode));
            live.UpdateTarget(draw(isUnicode));
        });
    }

    /// <summary>Creates a text to draw, without control characters.</summary>
    public static Text CreateText(string text, Style? style = null) => new(RemoteText.Clean(text, keepsLines: false), style);

    /// <summary>Prints rows in columns, which programs can split at spaces.</summary>
    /// <param name="rows">The header and the rows, all with the same number of cells.</param>
    public void PrintTable(IReadOnlyList<string[]> rows)
    {
        var widths = rows[0].Select((_, column) => rows.Max(row => row[column].Length)).ToArray();
        foreach (var row in rows)
            Output.WriteLine(string.Join("  ", row.Select((cell, column) => cell.PadRight(widths[column]))).TrimEnd());
    }

    /// <summary>Returns a number and its noun.</summary>
    public static string Count(int count, string noun) => FormattableString.Invariant($"{count} {noun}{(count == 1 ? "" : "s")}");

    /// <summary>Writes text without control characters. <see cref="WriteLine(string)"/> writes exactly one line.</summary>
    private sealed class PlainWriter : TextWriter
    {
        private readonly TextWriter _inner;

        public PlainWriter(TextWriter inner)
        {
            _inner = inner;
            CoreNewLine = inner.NewLine.ToCharArray();
        }

        public override Encoding Encoding => _inner.Encoding;

        public override void Write(char value) => _inner.Write(RemoteText.Clean(value.ToString()));

        public override void Write(string? value) => _inner.Write(RemoteText.Clean(value ?? ""));

        public override void WriteLine(string? value) => _inner.WriteLine(RemoteText.Clean(value ?? "", keepsLines: false));

        public override void Flush() => _inner.Flush();
    }
}
