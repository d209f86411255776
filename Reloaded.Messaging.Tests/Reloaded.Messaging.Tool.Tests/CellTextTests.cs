using System.Text;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class CellTextTests
{
    [Fact]
    public void No_character_is_measured_as_less_than_a_terminal_needs()
    {
        for (var value = 0x20; value <= 0x10FFFF; value++)
        {
            if (Rune.IsValid(value) && CellText.Measure(new Rune(value)) < TerminalEmulator.Measure(new Rune(value)))
                Assert.Fail($"U+{value:X} needs {TerminalEmulator.Measure(new Rune(value))} cells.");
        }
    }

    [Theory]
    [InlineData("name", 4, "name", "name")]
    [InlineData("names", 4, "nam…", "…mes")]
    [InlineData("重力ゲーム", 5, "重力…", "…ーム")]
    [InlineData("重力ゲーム", 6, "重力…", "…ーム")]
    [InlineData("e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301")]
    [InlineData("a👩\u200D👧b", 4, "a…", "…b")]
    [InlineData("ab", 1, "…", "…")]
    [InlineData("", 1, "", "")]
    public void Cut_keeps_characters_whole(string text, int width, string start, string end)
    {
        Assert.Equal((start, end), (CellText.Cut(text, width, isUnicode: true), CellText.Cut(text, width, isUnicode: true, keepsEnd: true)));
    }
}
