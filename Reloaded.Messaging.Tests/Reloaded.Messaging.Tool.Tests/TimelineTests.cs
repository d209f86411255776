using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tool;
using Spectre.Console;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The time lines that <c>record</c> and <c>replay</c> draw on a terminal.</summary>
public sealed class TimelineTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData(1)]
    [InlineData(39)]
    [InlineData(40)]
    [InlineData(41)]
    [InlineData(1000)]
    [InlineData(12345)]
    public void Timeline_keeps_each_event_in_its_span(int count)
    {
        var timeline = new Timeline();
        for (var i = 0; i < count; i++)
            timeline.Add(TimeSpan.FromMilliseconds(100 * i));

        Assert.Equal(count, timeline.Count);
        Assert.Equal(count, timeline.Spans.Sum());
        Assert.InRange(timeline.Spans.Count, Math.Min(count, Timeline.MaxSpans / 2), Timeline.MaxSpans);
        Assert.Single(timeline.Spans.SkipLast(1).Distinct().DefaultIfEmpty()); // the rate is constant
    }

    [Fact]
    public void Timeline_shows_quiet_times()
    {
        var timeline = new Timeline();
        timeline.Add(TimeSpan.Zero);
        timeline.Add(TimeSpan.FromHours(30));
        timeline.Extend(TimeSpan.FromHours(35));

        var text = Render(timeline, TimeSpan.FromHours(10), ColorSystemSupport.NoColors);

        Assert.Matches("^0:00 █▁{20,38}█▁+ 1\\.11:00:00  text$", text);
    }

    [Fact]
    public void What_was_replayed_has_a_color()
    {
        var timeline = new Timeline();
        for (var i = 0; i < 10; i++)
            timeline.Add(TimeSpan.FromMilliseconds(100 * i));

        Assert.StartsWith("0:00 \u001b[38;5;14m███\u001b[0m\u001b[2m███████\u001b[0m 0:00", Render(timeline, TimeSpan.FromMilliseconds(300), ColorSystemSupport.EightBit));
        Assert.StartsWith("0:00 \u001b[38;5;14m██████████\u001b[0m 0:00", Render(timeline, TimeSpan.FromMilliseconds(900), ColorSystemSupport.EightBit));
    }

    [Theory]
    [InlineData("0", "0:01 at speed 0, 3 of 3 events")]
    [InlineData("100", "0:01 at speed 100, 3 of 3 events")]
    public async Task Record_and_replay_draw_on_a_terminal(string speed, string expected)
    {
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"));
        var connected = server.Connection();
        var recording = Tool.RunInTerminalAsync("record", server.Endpoint.ToString(), file, "--count", "3");
        await connected.InTime();
        for (var i = 0; i < 3; i++)
            server.Broadcast(new Move(i, i));
        var recorded = await recording;
        var lines = File.ReadAllLines(file);
        File.WriteAllLines(file, lines.Select((line, i) => i == 3 ? line.Replace("\"time\":0.", "\"time\":1.") : line));

        var replayed = await Tool.RunInTerminalAsync("replay", file, server.Endpoint.ToString(), "--speed", speed);

        Assert.Matches("0:00 .*█.* 0:0.  3 events", recorded.Output);
        Assert.EndsWith($"recorded 3 events in {file}\n", recorded.Output);
        Assert.Contains(expected, replayed.Output);
        Assert.EndsWith($"replayed 3 events of {file}\n", replayed.Output);
    }

    private static string Render(Timeline timeline, TimeSpan position, ColorSystemSupport colors)
    {
        var output = new StringWriter();
        var console = AnsiConsole.Create(new AnsiConsoleSettings { Ansi = colors == ColorSystemSupport.NoColors ? AnsiSupport.No : AnsiSupport.Yes, ColorSystem = colors, Out = new AnsiConsoleOutput(output) });
        console.Profile.Width = 120;
        console.Profile.Capabilities.Unicode = true;
        console.Write(timeline.Draw(position, "text", isUnicode: true));
        return output.ToString().TrimEnd();
    }
}
