using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>Checks the folders of a project.</summary>
internal static class FolderAssert
{
    /// <summary>Requires that the folders of a project depend on each other in one direction. Writes all dependencies to the output.</summary>
    public static void HasNoCircle(SourceProject project, ITestOutputHelper output)
    {
        var graph = project.GetFolders();
        output.WriteLine(graph.ToString());

        var circle = graph.FindCircle();

        Assert.True(circle.Count == 0, $"Folders of {project.Name} depend on each other in a circle:\n{graph.Describe(circle)}");
    }
}
