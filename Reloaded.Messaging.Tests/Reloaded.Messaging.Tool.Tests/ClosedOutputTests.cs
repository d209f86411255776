using System.Diagnostics;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Commands whose output goes to a pipe that its reader has closed, as <c>head</c> does.</summary>
public sealed class ClosedOutputTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("--help")]
    [InlineData("new", "FOLDER/game")]
    [InlineData("key", "FOLDER/server.pem")]
    [InlineData("list")]
    [InlineData("watch", "SERVER", "--interval", "0.05")]
    [InlineData("decode", "02 05 01 02 05 01")]
    [InlineData("export", "--to", "typescript", "--schema", "SCHEMA")]
    [InlineData("send", "SERVER", "Move", "{}", "--schema", "SCHEMA")]
    [InlineData("request", "SERVER", "GetMods", "{\"Filter\": \"\"}", "--schema", "SCHEMA")]
    [InlineData("record", "SERVER", "FOLDER/events.jsonl", "--seconds", "0.05")]
    [InlineData("replay", "RECORDING", "SERVER")]
    public async Task Command_whose_reader_has_closed_its_output_does_its_work_and_ends_without_an_error(params string[] arguments)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "A console of Windows ignores a closed pipe.");
        var recording = Path.Combine(_folder.FullName, "recording.jsonl");
        await File.WriteAllTextAsync(recording, "{\"format\":\"reloaded-messaging recording 1\"}\n", TestContext.Current.CancellationToken);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, "closed-output"), host =>
        {
            host.AllowInspection();
            host.OnRequest((GetMods request) => new ModList([request.Filter], default));
        });
        var start = new ProcessStartInfo("dotnet") { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (var argument in arguments.Prepend(typeof(Messaging.Tool.Schema).Assembly.Location))
            start.ArgumentList.Add(argument.Replace("FOLDER", _folder.FullName).Replace("SERVER", server.Endpoint.ToString()).Replace("SCHEMA", Tool.Schema).Replace("RECORDING", recording));

        using var process = Process.Start(start)!;
        process.StandardOutput.Close();
        var error = await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken).InTime();
        await process.WaitForExitAsync(TestContext.Current.CancellationToken).InTime();

        Assert.Equal((0, ""), (process.ExitCode, error));
        if (arguments[0] is "new" or "key")
            Assert.Equal(arguments[0] == "new" ? 5 : 1, _folder.EnumerateFiles("*", SearchOption.AllDirectories).Count(static file => file.Extension != ".jsonl"));
    }
}
