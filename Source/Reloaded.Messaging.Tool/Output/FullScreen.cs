using System.IO;

namespace Reloaded.Messaging.Tool;

/// <summary>The whole terminal, which shows frames until it is disposed. What it showed before returns then.</summary>
internal sealed class FullScreen : IDisposable
{
    // The alternate screen, no cursor, and no line break at the right edge: a terminal for which a text is wider than it is for this tool cuts the line.
    private const string Start = "\u001b[?1049h\u001b[?25l\u001b[?7l", End = "\u001b[?7h\u001b[?25h\u001b[?1049l";

    private readonly TextWriter _output;
    private readonly bool _hasColors;

    public FullScreen(TextWriter output, ToolTerminal terminal, bool isUnicode, bool hasColors)
    {
        (_output, Terminal, IsUnicode, _hasColors) = (output, terminal, isUnicode, hasColors);
        Write(Start);
    }

    public ToolTerminal Terminal { get; }

    /// <summary>Whether the terminal knows more than ASCII.</summary>
    public bool IsUnicode { get; }

    /// <summary>Creates an empty frame of the size that the terminal has now.</summary>
    public ScreenFrame CreateFrame()
    {
        var (width, height) = Terminal.Size;
        return new ScreenFrame(width, height, IsUnicode);
    }

    public void Draw(ScreenFrame frame) => Write(frame.Draw(_hasColors));

    public void Dispose() => Write(End);

    private void Write(string text)
    {
        _output.Write(text);
        _output.Flush();
    }
}
