using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>What long commands show on a terminal, and say when they are interrupted.</summary>
public sealed class ProgressTests : IDisposable
{
    private const string Message = "090501000000" + "02000000";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("frames")]
    [InlineData("recording")]
    [InlineData("capture")]
    public async Task Decode_shows_its_progress_in_one_line_of_the_terminal_and_removes_it(string kind)
    {
        using var error = new StringWriter();
        var file = Write(kind);
        var console = new ToolConsole(TextReader.Null, TextWriter.Null, error, terminal: null, isErrorTerminal: true) { Clock = new StepClock(TimeSpan.FromMilliseconds(60)) };

        var exitCode = await CommandLine.RunAsync(["decode", file, "--port", "5000"], console, CancellationToken.None);

        var texts = error.ToString().Split('\r').Select(static text => text.TrimEnd()).Where(static text => text.Length > 0).Distinct().ToList();
        Assert.Equal(0, exitCode);
        Assert.True(texts.Count > 5, error.ToString());
        Assert.All(texts, static text => Assert.Matches(@"^decoded \d+ % of the input, \d+ messages?$", text));
        Assert.Equal(texts.OrderBy(static text => int.Parse(text.Split(' ')[1], System.Globalization.CultureInfo.InvariantCulture)), texts);
        Assert.DoesNotContain('\n', error.ToString());
        Assert.EndsWith(" \r", error.ToString(), StringComparison.Ordinal); // the last text was overwritten by spaces
    }

    [Fact]
    public async Task Decode_shows_no_progress_where_the_errors_or_the_results_are_elsewhere()
    {
        foreach (var (terminal, isErrorTerminal) in new[] { (null, false), (new TestTerminal(), true) })
        {
            using var error = new StringWriter();
            var console = new ToolConsole(TextReader.Null, TextWriter.Null, error, terminal, isErrorTerminal) { Clock = new StepClock(TimeSpan.FromSeconds(1)) };

            Assert.Equal(0, await CommandLine.RunAsync(["decode", Write("frames")], console, CancellationToken.None));
            Assert.Equal("", error.ToString());
        }
    }

    [Theory]
    [InlineData("frames")]
    [InlineData("recording")]
    [InlineData("capture")]
    public async Task Interrupted_decode_says_what_it_did(string kind)
    {
        using var interrupted = new CancellationTokenSource();
        using var error = new StringWriter();
        var output = new InterruptingWriter(interrupted, writes: 7);

        var exitCode = await CommandLine.RunAsync(["decode", Write(kind), "--port", "5000"], new ToolConsole(TextReader.Null, output, error, terminal: null, isErrorTerminal: false), interrupted.Token);

        Assert.Equal(4, exitCode);
        Assert.Matches(@"^The command was interrupted after it had decoded \d+ % of the input, 7 messages\.\r?\n$", error.ToString());
    }

    [Fact]
    public async Task Interrupted_decode_of_the_standard_input_ends()
    {
        using var interrupted = new CancellationTokenSource();
        using var input = new EndlessReader();
        using var error = new StringWriter();
        var running = CommandLine.RunAsync(["decode", "-"], new ToolConsole(input, TextWriter.Null, error, terminal: null, isErrorTerminal: false), interrupted.Token);
        await input.Reading.InTime();

        await interrupted.CancelAsync();

        Assert.Equal(4, await running.InTime());
    }

    [Fact]
    public async Task Interrupted_replay_says_what_it_sent()
    {
        using var interrupted = new CancellationTokenSource();
        var arrived = 0;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"), server => server.On((in Move _, Peer _) =>
        {
            if (++arrived == 3)
                interrupted.Cancel();
        }));
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        string[] times = ["0", "0.001", "0.002", "3600"];
        File.WriteAllLines(file, ["{\"format\":\"reloaded-messaging recording 1\"}", .. times.Select(static time => $"{{\"time\":{time},\"message\":\"{Message[2..]}\"}}")]);

        var tool = await Tool.RunAsync(interrupted.Token, "replay", file, server.Endpoint.ToString());

        Assert.Equal((4, "", $"The command was interrupted after it had sent 3 events of {file}.\n"), (tool.ExitCode, tool.Output, tool.Error));
    }

    [Fact]
    public async Task Interrupted_record_says_what_it_wrote_and_is_a_success()
    {
        using var interrupted = new CancellationTokenSource();
        var file = Path.Combine(_folder.FullName, "events.jsonl");
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"tool-{Guid.NewGuid():N}"));
        var connected = server.Connection();
        var recording = Tool.RunAsync(interrupted.Token, "record", server.Endpoint.ToString(), file);
        await connected.InTime();
        server.Broadcast(new Move(1, 2));
        await server.Peers.Single().FlushAsync();
        await Signal.UntilAsync(() => File.Exists(file));

        await interrupted.CancelAsync();
        var tool = await recording;

        Assert.Equal((0, ""), (tool.ExitCode, tool.Error));
        Assert.Matches($"^recorded [01] events? in {System.Text.RegularExpressions.Regex.Escape(file)}\n$", tool.Output);
    }

    private string Write(string kind)
    {
        const int Count = 100;
        var file = Path.Combine(_folder.FullName, kind);
        switch (kind)
        {
            case "frames":
                File.WriteAllText(file, string.Concat(Enumerable.Repeat(Message, Count)));
                break;
            case "recording":
                File.WriteAllLines(file, ["{\"format\":\"reloaded-messaging recording 1\"}", .. Enumerable.Range(0, Count).Select(static i => $"{{\"time\":{i},\"message\":\"{Message[2..]}\"}}")]);
                break;
            default:
                var capture = new TestCapture();
                for (var i = 0u; i < Count; i++)
                    capture.Tcp(1000, 5000, 1 + (10 * i), Message);
                File.WriteAllBytes(file, capture.ToPcap());
                break;
        }

        return file;
    }

    /// <summary>An input that never ends while it is read.</summary>
    private sealed class EndlessReader : TextReader
    {
        private readonly TaskCompletionSource _reading = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _disposed = new();

        public Task Reading => _reading.Task;

        public override int Read(char[] buffer, int index, int count)
        {
            _reading.TrySetResult();
            _disposed.Wait();
            return 0;
        }

        protected override void Dispose(bool disposing)
        {
            _disposed.Set();
            base.Dispose(disposing);
        }
    }
}
