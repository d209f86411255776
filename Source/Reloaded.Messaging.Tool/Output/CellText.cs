using System.Globalization;
using System.Text;

namespace Reloaded.Messaging.Tool;

/// <summary>Texts in the cells of a terminal. A terminal shows some characters in two cells, and combining characters in none.</summary>
internal static class CellText
{
    /// <summary>The first and the last code points of the ranges that terminals show in two cells: wide and fullwidth in UnicodeData's EastAsianWidth, rounded up to whole blocks where a block has more of them than of others.</summary>
    private static ReadOnlySpan<int> Wide =>
    [
        0x1100, 0x115F, 0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x23F0, 0x23F0, 0x23F3, 0x23F3, 0x25FD, 0x25FE, 0x2614, 0x2615, 0x2630, 0x2637, 0x2648, 0x2653, 0x267F, 0x267F,
        0x268A, 0x268F, 0x2693, 0x2693, 0x26A1, 0x26A1, 0x26AA, 0x26AB, 0x26BD, 0x26BE, 0x26C4, 0x26C5, 0x26CE, 0x26CE, 0x26D4, 0x26D4, 0x26EA, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26F5,
        0x26FA, 0x26FA, 0x26FD, 0x26FD, 0x2705, 0x2705, 0x270A, 0x270B, 0x2728, 0x2728, 0x274C, 0x274C, 0x274E, 0x274E, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797, 0x27B0, 0x27B0,
        0x27BF, 0x27BF, 0x2B1B, 0x2B1C, 0x2B50, 0x2B50, 0x2B55, 0x2B55, 0x2E80, 0x303E, 0x3041, 0xA4CF, 0xA960, 0xA97F, 0xAC00, 0xD7A3, 0xF900, 0xFAFF, 0xFE10, 0xFE19, 0xFE30, 0xFE6F,
        0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x16FE0, 0x1B2FF, 0x1D300, 0x1D37F, 0x1F004, 0x1F004, 0x1F0CF, 0x1F0CF, 0x1F18E, 0x1F18E, 0x1F191, 0x1F19A, 0x1F200, 0x1F64F,
        0x1F680, 0x1F6FF, 0x1F7E0, 0x1F7FF, 0x1F90C, 0x1F9FF, 0x1FA70, 0x1FAFF, 0x20000, 0x3FFFD,
    ];

    /// <summary>Returns the number of cells of a text. Terminals disagree about some characters; the number is then the higher one.</summary>
    public static int Measure(ReadOnlySpan<char> text)
    {
        var cells = 0;
        foreach (var rune in text.EnumerateRunes())
            cells += Measure(rune);
        return cells;
    }

    /// <summary>Returns the number of cells of a character: 0, 1 or 2.</summary>
    public static int Measure(Rune rune)
    {
        const int SoftHyphen = 0xAD;
        if (rune.Value < 0x300)
            return 1;
        if (Rune.GetUnicodeCategory(rune) is UnicodeCategory.NonSpacingMark or UnicodeCategory.EnclosingMark or UnicodeCategory.Format && rune.Value != SoftHyphen)
            return 0;
        for (var i = 0; i < Wide.Length && rune.Value >= Wide[i]; i += 2)
        {
            if (rune.Value <= Wide[i + 1])
                return 2;
        }

        return 1;
    }

    /// <summary>Returns the text if it fits; otherwise, its start or its end with a sign for the rest. Characters that are shown as one are not divided.</summary>
    /// <param name="text">The text, without control characters.</param>
    /// <param name="width">The number of cells, at least 1.</param>
    /// <param name="isUnicode">Whether the terminal knows more than ASCII.</param>
    /// <param name="keepsEnd">Whether the end is kept.</param>
    public static string Cut(string text, int width, bool isUnicode, bool keepsEnd = false)
    {
        if (Measure(text) <= width)
            return text;
        var sign = isUnicode ? "…" : "~";
        var starts = StringInfo.ParseCombiningCharacters(text);
        var cells = 1; // of the sign
        if (keepsEnd)
        {
            for (var (i, end) = (starts.Length - 1, text.Length); i >= 0; end = starts[i--])
            {
                cells += Measure(text.AsSpan(starts[i], end - starts[i]));
                if (cells > width)
                    return sign + text[end..];
            }
        }

        for (var i = 0; i < starts.Length; i++)
        {
            cells += Measure(text.AsSpan(starts[i], (i + 1 < starts.Length ? starts[i + 1] : text.Length) - starts[i]));
            if (cells > width)
                return text[..starts[i]] + sign;
        }

        return text;
    }

    /// <summary>Returns the text without control characters, on one line.</summary>
    public static string Clean(string text) => RemoteText.Clean(text, keepsLines: false).Replace('\t', ' ');
}
