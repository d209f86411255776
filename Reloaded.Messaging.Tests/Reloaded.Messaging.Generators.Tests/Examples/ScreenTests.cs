using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Examples;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Examples;

/// <summary>What the examples print on a terminal: colors, and lines that are broken at blanks.</summary>
public sealed partial class ScreenTests
{
    [Fact]
    public void Line_is_broken_at_blanks_and_keeps_its_words_at_each_width()
    {
        const string Text = "> unload example.sharedlib.hooks 16.7 ms FAULT 1004: example.sharedlib.hooks is needed by example.remote.server, which is running. Unload example.remote.server first.";
        for (var width = 40; width <= Text.Length + 1; width++)
        {
            var rows = Screen.Format(Text, Tone.Fault, 10, width, hasColors: false).Split(Environment.NewLine);

            Assert.All(rows, row => Assert.InRange(row.Length, 1, width));
            Assert.All(rows.Skip(1), static row => Assert.StartsWith("    ", row));
            Assert.Equal(Text.Split(' '), rows.SelectMany(static row => row.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
            Assert.Equal(width >= Text.Length, rows.Length == 1);
            Assert.Equal(string.Join('\n', rows), Color().Replace(Screen.Format(Text, Tone.Fault, 10, width, hasColors: true), "").ReplaceLineEndings("\n"));
        }
    }

    [Fact]
    public void Word_that_is_longer_than_the_width_stays_whole() =>
        Assert.Equal($"a{Environment.NewLine}    0123456789", Screen.Format("a 0123456789", Tone.Plain, 0, 8, hasColors: false));

    [Fact]
    public void Bright_characters_are_those_at_the_beginning_of_the_first_row() =>
        Assert.Equal($"\u001b[1m> list\u001b[0m\u001b[36m one\u001b[0m{Environment.NewLine}    \u001b[36mtwo\u001b[0m", Screen.Format("> list one two", Tone.Done, 6, 12, hasColors: true));

    [Fact]
    public async Task Long_step_has_a_line_until_it_ends()
    {
        var (time, terminal, step, joined) = (new ManualTime(), new StringWriter(), new TaskCompletionSource(), 8);
        var waiting = await StartAsync(() => Screen.WaitAsync(step.Task, () => $"{joined} of 12", terminal, time));

        time.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Equal("", terminal.ToString());
        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal("\r8 of 12", terminal.ToString());
        joined = 12;
        time.Advance(TimeSpan.FromMilliseconds(200));
        joined = 9;
        time.Advance(TimeSpan.FromMilliseconds(200));
        step.SetResult();
        await waiting;
        Assert.Equal("\r8 of 12\r12 of 12\r9 of 12 \r       \r", terminal.ToString());
    }

    [Fact]
    public async Task Step_that_ends_in_a_second_or_without_a_terminal_has_no_line_and_its_exception_is_thrown()
    {
        var (time, terminal) = (new ManualTime(), new StringWriter());
        foreach (var output in new[] { terminal, null })
        {
            var step = new TaskCompletionSource();
            var waiting = await StartAsync(() => Screen.WaitAsync(step.Task, static () => "a line", output, time));
            time.Advance(TimeSpan.FromMilliseconds(output is null ? 60_000 : 999));
            step.SetException(new IOException("The step failed."));
            Assert.Equal("The step failed.", (await Assert.ThrowsAsync<IOException>(() => waiting)).Message);
        }

        Assert.Equal("", terminal.ToString());
    }

    /// <summary>Starts a wait without a context, so that it goes on in the timers of the test.</summary>
    private static Task<Task> StartAsync(Func<Task> start) => Task.Factory.StartNew(start, default, TaskCreationOptions.None, TaskScheduler.Default);

    [Fact]
    public void Tables_of_examples_fit_into_80_columns_and_those_of_few_columns_into_60()
    {
        var tables = new DirectoryInfo(Path.Combine(RepositoryFolder.FullName, "Examples")).EnumerateFiles("*.cs", SearchOption.AllDirectories)
            .SelectMany(static file => Columns().Matches(File.ReadAllText(file.FullName))).Select(static match => Name().Matches(match.Groups[1].Value).Select(static name => name.Groups[1].Value).ToArray()).ToList();

        Assert.InRange(tables.Count, 3, 20);
        Assert.Contains(tables, static columns => columns.Sum(static name => name.Length + 2) > 60);
        Assert.All(tables, static columns =>
        {
            var table = new Table(columns);
            table.Add([.. columns.Select((_, i) => i == 0 && columns.Length <= 6 ? "16 x 1 in flight" : "1,234")]);
            var width = columns.Length <= 6 ? 60 : 80;
            var lines = table.Lines(width).Select(static line => line.Line).ToList();
            Assert.All(lines, line => Assert.InRange(line.Length, 1, width));
            Assert.Equal(columns.SelectMany(static name => name.Split(' ')).Order(StringComparer.Ordinal), lines.TakeWhile(static line => !line.StartsWith("--", StringComparison.Ordinal)).SelectMany(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Order(StringComparer.Ordinal));
        });
    }

    [GeneratedRegex("\u001b\\[\\d+m")]
    private static partial Regex Color();

    [GeneratedRegex("""(?:new Table\(|Names \{ get; \} = \[)("[^;\n]*?")[\])];""")]
    private static partial Regex Columns();

    [GeneratedRegex("\"([^\"]+)\"")]
    private static partial Regex Name();
}
