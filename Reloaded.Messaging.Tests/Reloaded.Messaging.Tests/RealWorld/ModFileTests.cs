using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using System.Text;
using ModLoader;
using Xunit;

namespace Reloaded.Messaging.Tests.RealWorld;

/// <summary>The mod loader example reads a folder with files that are no configuration.</summary>
public sealed class ModFileTests : IDisposable
{
    private const string Good = """{"ModId":"good"}""";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("mod-files");
    private readonly List<string> _lines = [];

    [Fact]
    public void File_with_byte_order_mark_is_read()
    {
        File.WriteAllText(PathOf("mark.json"), Good, new UTF8Encoding(encoderShouldEmitUTF8Identifier: true));

        Assert.Equal(["mark.json"], Read());
        Assert.Empty(_lines);
    }

    [Theory]
    [InlineData("")]
    [InlineData("mods")]
    [InlineData("null")]
    [InlineData("{}")]
    [InlineData("""{"ModId":null}""")]
    [InlineData("""{"ModId":"a","Tags":[null,"a"]}""")]
    [InlineData("""{"ModId":"a","ModName":"\ud800"}""")]
    [InlineData("""{"ModId":"a","PluginData":{"a":"\ud800"}}""")]
    [InlineData("""{"ModId":"a","PluginData":{"\udc00":1}}""")]
    public void File_that_is_no_configuration_gets_a_line(string text)
    {
        File.WriteAllText(PathOf("bad.json"), text);
        File.WriteAllText(PathOf("good.json"), Good);

        Assert.Equal(["good.json"], Read());
        Assert.StartsWith("Skipped bad.json: ", Assert.Single(_lines), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData('x', 2_000_000)]
    [InlineData('x', 50_000_000)]
    [InlineData('é', 300_000)] // 600 kB in the binary form; as JSON each letter is an escape of six bytes
    public void Description_larger_than_a_message_gets_a_line(char letter, int length)
    {
        File.WriteAllText(PathOf("bad.json"), $$"""{"ModId":"a","ModDescription":"{{new string(letter, length)}}"}""");
        File.WriteAllText(PathOf("good.json"), Good);

        Assert.Equal(["good.json"], Read());
        Assert.StartsWith("Skipped bad.json: ", Assert.Single(_lines), StringComparison.Ordinal);
    }

    [Fact]
    public void Links_to_folders_get_a_line_and_are_not_followed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows lets only some users make links.");
        Directory.CreateDirectory(PathOf("inner"));
        Directory.CreateSymbolicLink(PathOf("inner/first"), _folder.FullName);
        Directory.CreateSymbolicLink(PathOf("inner/second"), _folder.FullName);
        File.WriteAllText(PathOf("inner/good.json"), Good);

        Assert.Equal([Path.Combine("inner", "good.json")], Read());
        Assert.Equal(2, _lines.Count);
    }

    [Fact]
    public void File_that_is_a_link_to_itself_gets_a_line()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows lets only some users make links.");
        File.CreateSymbolicLink(PathOf("a.json"), PathOf("b.json"));
        File.CreateSymbolicLink(PathOf("b.json"), PathOf("a.json"));
        File.WriteAllText(PathOf("good.json"), Good);
        File.CreateSymbolicLink(PathOf("link.json"), PathOf("good.json"));

        Assert.Equal(["good.json", "link.json"], Read());
        Assert.Equal(2, _lines.Count);
    }

    [Fact]
    public void Fifo_gets_a_line_and_is_not_opened()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no FIFO in a folder.");
        using (var make = Process.Start("mkfifo", PathOf("fifo.json")))
            make.WaitForExit();
        File.CreateSymbolicLink(PathOf("link.json"), PathOf("fifo.json"));
        File.WriteAllText(PathOf("good.json"), Good);

        Assert.Equal(["good.json"], Read());
        Assert.Equal(2, _lines.Count);
    }

    [Fact]
    [UnsupportedOSPlatform("windows")]
    public void Unreadable_folder_gets_a_line()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows() || Environment.IsPrivilegedProcess, "This user may read every folder.");
        var closed = Directory.CreateDirectory(PathOf("closed"));
        File.SetUnixFileMode(closed.FullName, UnixFileMode.None);
        File.WriteAllText(PathOf("good.json"), Good);

        Assert.Equal(["good.json"], Read());
        Assert.StartsWith("Skipped closed: ", Assert.Single(_lines), StringComparison.Ordinal);
    }

    public void Dispose() => _folder.Delete(recursive: true);

    private string PathOf(string file) => Path.Combine(_folder.FullName, file);

    private List<string> Read() => [.. ModFile.ReadAll(_folder.FullName, _lines.Add).Select(static mod => mod.Name)];
}
