using System.Globalization;
using System.Linq;
using System.Text;

namespace Reloaded.Messaging.Tests.Terminals;

/// <summary>A terminal that keeps what it shows: the control sequences that the tool writes, and characters of no, one and two cells. It fails on any other sequence.</summary>
internal sealed class TerminalEmulator(int width, int height)
{
    /// <summary>The first and the last code points of the characters of two cells: those that Unicode 14 calls wide or fullwidth, as Python's unicodedata lists them. Unassigned ones between them count as one range.</summary>
    private static readonly int[] s_wide =
    [
        0x1100, 0x115F, 0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x23F0, 0x23F0, 0x23F3, 0x23F3, 0x25FD, 0x25FE, 0x2614, 0x2615,
        0x2648, 0x2653, 0x267F, 0x267F, 0x2693, 0x2693, 0x26A1, 0x26A1, 0x26AA, 0x26AB, 0x26BD, 0x26BE, 0x26C4, 0x26C5, 0x26CE, 0x26CE,
        0x26D4, 0x26D4, 0x26EA, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26F5, 0x26FA, 0x26FA, 0x26FD, 0x26FD, 0x2705, 0x2705, 0x270A, 0x270B,
        0x2728, 0x2728, 0x274C, 0x274C, 0x274E, 0x274E, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797, 0x27B0, 0x27B0, 0x27BF, 0x27BF,
        0x2B1B, 0x2B1C, 0x2B50, 0x2B50, 0x2B55, 0x2B55, 0x2E80, 0x3029, 0x302E, 0x303E, 0x3041, 0x3096, 0x309B, 0x3247, 0x3250, 0x4DBF,
        0x4E00, 0xA4C6, 0xA960, 0xA97C, 0xAC00, 0xD7A3, 0xF900, 0xFAD9, 0xFE10, 0xFE19, 0xFE30, 0xFE6B, 0xFF01, 0xFF60, 0xFFE0, 0xFFE6,
        0x16FE0, 0x16FE3, 0x16FF0, 0x1B2FB, 0x1F004, 0x1F004, 0x1F0CF, 0x1F0CF, 0x1F18E, 0x1F18E, 0x1F191, 0x1F19A, 0x1F200, 0x1F320,
        0x1F32D, 0x1F335, 0x1F337, 0x1F37C, 0x1F37E, 0x1F393, 0x1F3A0, 0x1F3CA, 0x1F3CF, 0x1F3D3, 0x1F3E0, 0x1F3F0, 0x1F3F4, 0x1F3F4,
        0x1F3F8, 0x1F43E, 0x1F440, 0x1F440, 0x1F442, 0x1F4FC, 0x1F4FF, 0x1F53D, 0x1F54B, 0x1F54E, 0x1F550, 0x1F567, 0x1F57A, 0x1F57A,
        0x1F595, 0x1F596, 0x1F5A4, 0x1F5A4, 0x1F5FB, 0x1F64F, 0x1F680, 0x1F6C5, 0x1F6CC, 0x1F6CC, 0x1F6D0, 0x1F6D2, 0x1F6D5, 0x1F6DF,
        0x1F6EB, 0x1F6EC, 0x1F6F4, 0x1F6FC, 0x1F7E0, 0x1F7F0, 0x1F90C, 0x1F93A, 0x1F93C, 0x1F945, 0x1F947, 0x1F9FF, 0x1FA70, 0x1FAF6,
        0x20000, 0x3134A,
    ];

    private const int LineBreaks = 7, Cursor = 25, Alternate = 1049;

    private readonly SortedSet<int> _modes = [LineBreaks, Cursor];
    private string[,] _cells = new string[height, width];
    private (string[,] Cells, int Row, int Column) _main;
    private int _row, _column;

    /// <summary>Whether a character did not fit in its line while lines were not broken, or a line in the terminal.</summary>
    public bool HasOverflown { get; private set; }

    /// <summary>The private modes that are set: 7 for line breaks at the edge, 25 for a cursor, 1049 for the alternate screen.</summary>
    public IEnumerable<int> Modes => _modes;

    public int Width => width;

    /// <summary>The lines without spaces at their ends.</summary>
    public IReadOnlyList<string> Lines => [.. Enumerable.Range(0, height).Select(row => string.Concat(Enumerable.Range(0, width).Select(column => _cells[row, column] ?? " ")).TrimEnd())];

    /// <summary>Returns the number of cells of a character.</summary>
    public static int Measure(Rune rune)
    {
        if (Rune.GetUnicodeCategory(rune) is UnicodeCategory.NonSpacingMark or UnicodeCategory.EnclosingMark or UnicodeCategory.Format && rune.Value != 0xAD)
            return 0;
        var index = Array.BinarySearch(s_wide, rune.Value);
        return index >= 0 || (~index & 1) == 1 ? 2 : 1;
    }

    /// <summary>Shows a text.</summary>
    public void Write(string text)
    {
        for (var i = 0; i < text.Length;)
        {
            if (text[i] == '\u001b' && text[i + 1] is '=' or '>')
            {
                i += 2; // the mode of the keypad
            }
            else if (text[i] == '\u001b')
            {
                var end = i + 2;
                while (!char.IsAsciiLetter(text[end]))
                    end++;
                Obey(text[(i + 1)..end], text[end]);
                i = end + 1;
            }
            else
            {
                if (Rune.DecodeFromUtf16(text.AsSpan(i), out var rune, out var length) != System.Buffers.OperationStatus.Done)
                    rune = Rune.ReplacementChar;
                Put(rune);
                i += length;
            }
        }
    }

    private void Obey(string start, char command)
    {
        switch (start, command)
        {
            case (_, 'H'):
                (_row, _column) = (int.Parse(start[1..], CultureInfo.InvariantCulture) - 1, 0);
                HasOverflown |= _row >= height;
                break;
            case (_, 'A'):
                _row -= Math.Min(_row, int.Parse(start[1..], CultureInfo.InvariantCulture));
                break;
            case ("[2", 'K'):
                for (var column = 0; column < width; column++)
                    _cells[_row, column] = " ";
                break;
            case (_, 'm'):
                break;
            case (_, 'h') when start.StartsWith("[?", StringComparison.Ordinal):
                SetMode(int.Parse(start[2..], CultureInfo.InvariantCulture));
                break;
            case (_, 'l') when start.StartsWith("[?", StringComparison.Ordinal):
                EndMode(int.Parse(start[2..], CultureInfo.InvariantCulture));
                break;
            default:
                throw new InvalidOperationException($"The emulator does not know the sequence ESC {start}{command}.");
        }
    }

    private void SetMode(int mode)
    {
        if (_modes.Add(mode) && mode == Alternate)
            (_main, _cells) = ((_cells, _row, _column), new string[height, width]);
    }

    private void EndMode(int mode)
    {
        if (_modes.Remove(mode) && mode == Alternate)
            (_cells, _row, _column) = _main;
    }

    private void BreakLine()
    {
        if (_row < height - 1)
        {
            _row++;
            return;
        }

        for (var i = 0; i < _cells.Length; i++) // all lines go up
            _cells[i / width, i % width] = i + width < _cells.Length ? _cells[(i / width) + 1, i % width] : " ";
    }

    private void Put(Rune rune)
    {
        if (rune.Value == '\r')
        {
            _column = 0;
            return;
        }

        if (rune.Value == '\n')
        {
            BreakLine();
            return;
        }

        if (Rune.IsControl(rune))
            throw new InvalidOperationException($"The control character {rune.Value} was written.");
        var cells = Measure(rune);
        if (cells == 0)
        {
            if (_column > 0 && _column <= width)
                _cells[_row, _column - 1] += rune.ToString();
            return;
        }

        if (_column + cells > width && _modes.Contains(LineBreaks))
        {
            _column = 0;
            BreakLine();
        }

        if (_column + cells > width)
        {
            HasOverflown = true;
            return;
        }

        _cells[_row, _column] = rune.ToString();
        if (cells == 2)
            _cells[_row, _column + 1] = "";
        _column += cells;
    }
}
