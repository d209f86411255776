using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Spectre.Console;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The tool in a terminal: colors, and the end by Ctrl+C.</summary>
public sealed class TerminalTests
{
    [Fact]
    public async Task Interrupted_watch_ends_with_success_and_without_an_error()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no signals between processes.");
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static server => server.AllowInspection());
        string[] command = ["dotnet", Path.Combine(AppContext.BaseDirectory, "reloaded-messaging.dll"), "watch", server.Endpoint.ToString(), "--interval", "0.05"];
        if (OperatingSystem.IsLinux())
            command = ["env", "--default-signal=INT", .. command]; // a program that a shell starts in the background ignores the signal
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true, RedirectStandardError = true };
        using var tool = Process.Start(start)!;

        Assert.NotNull(await tool.StandardOutput.ReadLineAsync().InTime());
        using var interrupt = Process.Start("kill", ["-INT", tool.Id.ToString(CultureInfo.InvariantCulture)]);
        var (output, error) = (await tool.StandardOutput.ReadToEndAsync().InTime(), await tool.StandardError.ReadToEndAsync().InTime());
        await tool.WaitForExitAsync().InTime();

        Assert.Equal((0, ""), (tool.ExitCode, error));
        Assert.DoesNotContain('\u001b', output);
    }

    [Theory]
    [InlineData("request", "Move", "{}")]
    [InlineData("watch")]
    public async Task Interrupted_while_it_connects_is_no_success(string command, params string[] arguments)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0); // accepts, and says nothing
        listener.Start();
        using var interrupted = new CancellationTokenSource();
        var running = Tool.RunAsync(interrupted.Token, [command, $"tcp://{listener.LocalEndpoint}", .. arguments, .. arguments.Length > 0 ? new[] { "--schema", Tool.Schema } : []]);
        using var accepted = await listener.AcceptTcpClientAsync().InTime();

        await interrupted.CancelAsync();
        var tool = await running.InTime();

        Assert.Equal((4, "", "The command was interrupted before it was done.\n"), (tool.ExitCode, tool.Output, tool.Error));
    }

    [Fact]
    public void No_color_in_the_environment_removes_colors()
    {
        var before = Environment.GetEnvironmentVariable("NO_COLOR");
        try
        {
            Environment.SetEnvironmentVariable("NO_COLOR", "");
            Assert.Equal(ColorSystemSupport.Detect, ToolConsole.Colors);
            Environment.SetEnvironmentVariable("NO_COLOR", "1");
            Assert.Equal(ColorSystemSupport.NoColors, ToolConsole.Colors);
            Assert.Equal(ColorSystem.NoColors, new ToolConsole(TextReader.Null, TextWriter.Null, TextWriter.Null, new TestTerminal(), isErrorTerminal: true).CreateDrawing().Profile.Capabilities.ColorSystem);
        }
        finally
        {
            Environment.SetEnvironmentVariable("NO_COLOR", before);
        }
    }
}
