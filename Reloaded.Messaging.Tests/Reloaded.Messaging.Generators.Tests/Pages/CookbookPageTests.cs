using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>Compiles and runs the programs of docs/cookbook.md.</summary>
public sealed class CookbookPageTests : IDisposable
{
    private static readonly Recipe[] s_recipes = ReadRecipes();

    private readonly string _folder = Directory.CreateTempSubdirectory("rm-cookbook").FullName;

    public static TheoryData<string> Titles => [.. Extent.Of(s_recipes.Select(static recipe => recipe.Title), first: 3)];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Titles))]
    public async Task Program_prints_output_of_page(string title)
    {
        var recipe = s_recipes.Single(recipe => recipe.Title == title);
        var (program, found) = await ConsoleProgram.CompileAsync(recipe.Program, title.Replace(" ", "", StringComparison.Ordinal));
        Assert.Empty(found);
        var port = FindFreePort();

        var output = await ConsoleProgram.RunAsync(program, _folder, port);

        Assert.Equal(recipe.Output, output.Replace($":{port}/", ":8080/", StringComparison.Ordinal));
    }

    [Fact]
    public void Programs_are_short()
    {
        Assert.Equal(11, s_recipes.Length);
        Assert.All(s_recipes, static recipe => Assert.InRange(recipe.Program.Count(static c => c == '\n'), 15, 60));
    }

    private static string FindFreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return $"{((IPEndPoint)probe.LocalEndpoint).Port}";
    }

    // Each section of the page has a program, and then its output.
    private static Recipe[] ReadRecipes() =>
    [
        .. File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Pages", "cookbook.md")).ReplaceLineEndings("\n").Split("\n## ").Skip(1)
            .Select(static section => (Title: section.Split('\n')[0], Blocks: section.Split("```")))
            .Select(static section => new Recipe(section.Title, section.Blocks[1]["csharp\n".Length..], section.Blocks[3]["\n".Length..])),
    ];

    private sealed record Recipe(string Title, string Program, string Output);
}
