using System.IO;

namespace Reloaded.Messaging.Tool;

/// <summary>A line on the terminal of the errors that says how far a command is. It is replaced five times a second, and removed at the end. Not thread-safe.</summary>
/// <param name="error">The terminal.</param>
/// <param name="isShown">Whether the line is shown.</param>
/// <param name="clock">The clock.</param>
internal sealed class ProgressLine(TextWriter error, bool isShown, TimeProvider clock) : IDisposable
{
    private const int MaxCells = 79; // a line that is as wide as the terminal could move the cursor to the next one

    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(200);

    private long _last = clock.GetTimestamp();
    private int _cells;

    /// <summary>Shows a text, unless the last one was shown a moment ago.</summary>
    public void Show(Func<string> describe)
    {
        if (!isShown || clock.GetElapsedTime(_last) < s_interval)
            return;
        _last = clock.GetTimestamp();
        Write(CellText.Cut(CellText.Clean(describe()), MaxCells, isUnicode: false));
    }

    /// <summary>Removes the line.</summary>
    public void Dispose()
    {
        if (_cells > 0)
            Write("");
    }

    private void Write(string text)
    {
        var cells = CellText.Measure(text);
        var blanks = new string(' ', Math.Max(0, _cells - cells));
        error.Write($"\r{text}{blanks}{(blanks.Length > 0 ? $"\r{text}" : "")}");
        _cells = cells;
    }
}
