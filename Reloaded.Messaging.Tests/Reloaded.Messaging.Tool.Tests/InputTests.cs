using System.Diagnostics;
using System.IO;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Files without an end, files that are too large, names that are empty, and an output that nothing can be written to.</summary>
public sealed class InputTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("decode", "00", "--schema", "endless")]
    [InlineData("decode", "00", "--assembly", "endless")]
    [InlineData("send", "tcp://127.0.0.1:1", "Move", "{}", "--schema", "schema", "--token-file", "endless")]
    [InlineData("replay", "endless", "tcp://127.0.0.1:1")]
    [InlineData("key", "endless")]
    [InlineData("decode", "00", "--schema", "large")]
    [InlineData("decode", "00", "--assembly", "large")]
    [InlineData("decode", "large")]
    [InlineData("key", "large")]
    public async Task File_that_is_too_large_or_has_no_end_is_one_line(params string[] arguments)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no device without an end, and writes all bytes of a large file.");
        var large = Path.Combine(_folder.FullName, "large");
        using (var file = File.Create(large))
            file.SetLength(3L << 30);

        var tool = await Tool.RunAsync([.. Array.ConvertAll(arguments, argument => argument switch { "endless" => "/dev/zero", "large" => large, "schema" => Tool.Schema, _ => argument })]);

        Assert.Contains(tool.ExitCode, new[] { 2, 3 }); // 3 where a connection is attempted first
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
        if (arguments is ["decode", "large"])
            Assert.EndsWith("has 3221225472 bytes; the limit is 1073741824 bytes. Split the capture.\n", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_is_in_memory_once()
    {
        var path = Path.Combine(_folder.FullName, "large");
        using (var file = File.Create(path))
        {
            file.Write([0x81, 0x80, 0x80, 0x20, 5]); // the length of a message with a payload of 64 MiB, and its header
            file.SetLength(5 + (64 << 20));
        }

        var start = new ProcessStartInfo("dotnet", [typeof(Schema).Assembly.Location, "decode", path]) { RedirectStandardOutput = true };
        start.Environment["DOTNET_GCHeapHardLimit"] = "6400000"; // 100 MiB
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken).InTime();

        Assert.StartsWith("event 5, 67108865 bytes: 0000", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("decode", "00", "--schema", "folder")]
    [InlineData("decode", "00", "--assembly", "folder")]
    [InlineData("send", "tcp://127.0.0.1:1", "Move", "{}", "--schema", "schema", "--token-file", "folder")]
    public async Task Folder_in_place_of_a_file_is_named(params string[] arguments)
    {
        var tool = await Tool.RunAsync([.. Array.ConvertAll(arguments, argument => argument switch { "folder" => _folder.FullName, "schema" => Tool.Schema, _ => argument })]);

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains($"'{_folder.FullName}' is a folder. Name a file.", tool.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("new", "")]
    [InlineData("key", "")]
    [InlineData("decode", "00", "--schema", "")]
    [InlineData("decode", "00", "--assembly", "")]
    [InlineData("export", "--to", "c", "--schema", "schema", "--output", "")]
    [InlineData("replay", "", "tcp://127.0.0.1:1")]
    [InlineData("send", "tcp://127.0.0.1:1", "Move", "{}", "--schema", "schema", "--token-file", "")]
    public async Task Empty_argument_is_refused(params string[] arguments)
    {
        var tool = await Tool.RunAsync([.. Array.ConvertAll(arguments, static argument => argument == "schema" ? Tool.Schema : argument)]);

        Assert.Equal((1, "", "An argument is empty. Look for a variable without a value. See 'reloaded-messaging --help'.\n"), (tool.ExitCode, tool.Output, tool.Error));
    }

    [Fact]
    public async Task Error_that_cannot_be_written_keeps_its_exit_code()
    {
        using var full = new FullWriter();

        Assert.Equal(2, await CommandLine.RunAsync(["decode", "no-such-file"], new ToolConsole(TextReader.Null, full, full, null, isErrorTerminal: false), CancellationToken.None).InTime());
    }

    [Fact]
    public async Task Path_with_a_space_is_quoted_where_a_command_is_shown()
    {
        var tool = await Tool.RunAsync("new", Path.Combine(_folder.FullName, "my game"));

        Assert.Contains($"'dotnet run --project \"{Path.Combine(_folder.FullName, "my game", "Server")}\"'", tool.Output, StringComparison.Ordinal);
    }

    private sealed class FullWriter : StringWriter
    {
        public override void Write(char value) => throw new IOException("No space left on device");

        public override void Write(string? value) => throw new IOException("No space left on device");

        public override void WriteLine(string? value) => throw new IOException("No space left on device");
    }
}
