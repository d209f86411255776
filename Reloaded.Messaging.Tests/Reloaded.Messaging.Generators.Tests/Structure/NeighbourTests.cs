using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A neighbour is a folder of <c>Integrations</c>, or <c>Clients</c>. It uses the public API of the house. The house refers to no neighbour.</summary>
public sealed class NeighbourTests
{
    /// <summary>The neighbours: full paths that end with a separator.</summary>
    private static readonly List<string> s_neighbours = [.. Directory.GetDirectories(Path.Combine(SourceProject.Repository, "Integrations")).Append(Path.Combine(SourceProject.Repository, "Clients")).Select(static folder => folder + Path.DirectorySeparatorChar)];

    /// <summary>The projects and solutions of the repository. A folder <c>content</c> has projects of templates.</summary>
    private static readonly List<string> s_projects = [.. Directory.EnumerateFiles(SourceProject.Repository, "*", SearchOption.AllDirectories)
        .Where(static file => Path.GetExtension(file) is ".csproj" or ".props" or ".targets" or ".sln" or ".slnx" or ".slnf")
        .Where(static file => !Path.GetRelativePath(SourceProject.Repository, file).Split(Path.DirectorySeparatorChar).Any(static part => part is "bin" or "obj" or "artifacts" or "content" or "node_modules"))];

    [Fact]
    public void Projects_and_solutions_of_the_house_name_no_file_of_a_neighbour()
    {
        var house = s_projects.Where(static file => NeighbourOf(file) is null).ToList();

        Assert.InRange(house.Count, 20, 200);
        Assert.Empty(
            from file in house
            from named in PathsIn(file)
            where NeighbourOf(named) is not null
            select $"{Path.GetRelativePath(SourceProject.Repository, file)} names {Path.GetRelativePath(SourceProject.Repository, named)}");
    }

    [Fact]
    public void House_shows_its_internal_types_to_no_assembly_of_a_neighbour()
    {
        var assemblies = s_projects.Where(static file => NeighbourOf(file) is not null && file.EndsWith(".csproj", StringComparison.Ordinal)).Select(AssemblyOf).ToList();

        Assert.Empty(
            from file in s_projects
            where NeighbourOf(file) is null && file.EndsWith(".csproj", StringComparison.Ordinal)
            from shown in XDocument.Load(file).Descendants("InternalsVisibleTo")
            where assemblies.Contains(shown.Attribute("Include")!.Value)
            select $"{Path.GetFileName(file)} shows its internal types to {shown.Attribute("Include")!.Value}");
    }

    [Fact]
    public void Neighbours_name_no_file_of_each_other() => Assert.Empty(
        from file in s_projects
        let neighbour = NeighbourOf(file)
        where neighbour is not null
        from named in PathsIn(file)
        where NeighbourOf(named) is { } other && other != neighbour
        select $"{Path.GetRelativePath(SourceProject.Repository, file)} names {Path.GetRelativePath(SourceProject.Repository, named)}");

    [Fact]
    public void Solution_of_a_neighbour_lists_its_projects_and_those_to_which_they_refer()
    {
        foreach (var neighbour in s_neighbours)
        {
            var own = s_projects.Where(file => file.StartsWith(neighbour, StringComparison.Ordinal) && file.EndsWith(".csproj", StringComparison.Ordinal)).ToList();
            var listed = Directory.GetFiles(neighbour, "*.slnx").SelectMany(PathsIn).Where(static file => file.EndsWith(".csproj", StringComparison.Ordinal)).ToHashSet(StringComparer.Ordinal);

            Assert.True(File.Exists(Path.Combine(neighbour, "README.md")), $"{neighbour} has no README.md.");
            Assert.All(listed, static project => Assert.True(File.Exists(project), $"{project} does not exist."));
            if (listed.Count > 0)
                Assert.Empty(own.Concat(listed.SelectMany(ReferencesOf)).Except(listed));
        }
    }

    private static string? NeighbourOf(string file) => s_neighbours.Find(neighbour => file.StartsWith(neighbour, StringComparison.Ordinal));

    private static string AssemblyOf(string project) => XDocument.Load(project).Descendants("AssemblyName").FirstOrDefault()?.Value ?? Path.GetFileNameWithoutExtension(project);

    private static IEnumerable<string> ReferencesOf(string project) =>
        from reference in XDocument.Load(project).Descendants("ProjectReference")
        select Path.GetFullPath(Path.Combine(Path.GetDirectoryName(project)!, reference.Attribute("Include")!.Value.Replace("$(MSBuildThisFileDirectory)", "", StringComparison.Ordinal)));

    /// <summary>The full paths that a project or a solution names, relative to its folder.</summary>
    private static IEnumerable<string> PathsIn(string file) =>
        from quoted in Regex.Matches(File.ReadAllText(file), "\"([^\"\r\n]+)\"")
        from path in quoted.Groups[1].Value.Replace('\\', '/').Replace("$(MSBuildThisFileDirectory)", "", StringComparison.Ordinal).Split(';')
        where path.Contains('/', StringComparison.Ordinal) && !path.Contains('$', StringComparison.Ordinal)
        select Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, path));
}
