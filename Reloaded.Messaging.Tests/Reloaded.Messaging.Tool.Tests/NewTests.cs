using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The two programs that <c>new</c> creates. The step Packages of CI builds and runs them.</summary>
public sealed class NewTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task New_creates_files_of_page_and_says_how_to_start_them()
    {
        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "tool.md"));
        var shown = Regex.Match(page, "```\nreloaded-messaging new game\n(.*?)```", RegexOptions.Singleline).Groups[1].Value;

        var tool = await Tool.RunAsync("new", Path.Combine(_folder.FullName, "game"));

        Assert.Equal((0, shown, ""), (tool.ExitCode, tool.Output.Replace(_folder.FullName + Path.DirectorySeparatorChar, "").Replace('\\', '/'), tool.Error));
        var files = _folder.EnumerateFiles("*", SearchOption.AllDirectories).Select(file => Path.GetRelativePath(_folder.FullName, file.FullName).Replace('\\', '/'));
        Assert.Equal(shown.Split('\n').Where(static line => line.StartsWith("game/", StringComparison.Ordinal)).Order(StringComparer.Ordinal), files.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Both_projects_compile_the_same_messages()
    {
        await Tool.RunAsync("new", _folder.FullName, "--framework", "net8.0");

        foreach (var project in new[] { "Server", "Client" })
        {
            var text = File.ReadAllText(Path.Combine(_folder.FullName, project, project + ".csproj"));
            Assert.Contains("<TargetFramework>net8.0</TargetFramework>", text, StringComparison.Ordinal);
            Assert.Contains("<Compile Include=\"../Messages.cs\" />", text, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Folder_with_files_is_refused_and_keeps_them()
    {
        var file = Path.Combine(_folder.FullName, "notes.txt");
        File.WriteAllText(file, "mine");

        var tool = await Tool.RunAsync("new", _folder.FullName);

        Assert.Equal((2, ""), (tool.ExitCode, tool.Output));
        Assert.Contains(_folder.FullName, tool.Error, StringComparison.Ordinal);
        Assert.Equal([file], Directory.GetFileSystemEntries(_folder.FullName));
    }
}
