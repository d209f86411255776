using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>The solution lists every project that its projects refer to: MSBuild builds the others in Debug, whatever configuration is given.</summary>
public sealed class SolutionTests
{
    [Fact]
    public void Solution_lists_all_referenced_projects()
    {
        var file = Path.Combine(SourceProject.Repository, "Reloaded.Messaging.sln");
        var listed = PathsIn(file, "\"([^\"]+\\.csproj)\"").ToHashSet(StringComparer.Ordinal);

        Assert.NotEmpty(listed);
        Assert.All(listed, static project => Assert.True(File.Exists(project), $"{project} does not exist."));
        Assert.Empty(listed.SelectMany(static project => PathsIn(project, "<ProjectReference Include=\"([^\"]+)\"")).Except(listed));
    }

    /// <summary>The full paths that a file names, relative to its folder.</summary>
    private static IEnumerable<string> PathsIn(string file, string pattern) => Regex.Matches(File.ReadAllText(file), pattern)
        .Select(match => match.Groups[1].Value.Replace('\\', '/').Replace("$(MSBuildThisFileDirectory)", "", StringComparison.Ordinal))
        .Select(path => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, path)));
}
