using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The repository that the running tests were built in. A path of the compiler is no help: a build with CI=true replaces it.</summary>
public static class RepositoryFolder
{
    /// <summary>The full path.</summary>
    public static string FullName { get; } = Find();

    /// <summary>The folders with sources of packages: that of the house, and those of its neighbours.</summary>
    public static IEnumerable<string> Sources => Neighbours("Source").Prepend(Path.Combine(FullName, "Source"));

    /// <summary>The folders with suites of tests: that of the house, and those of its neighbours.</summary>
    public static IEnumerable<string> Tests => Neighbours("Tests").Prepend(Path.Combine(FullName, "Reloaded.Messaging.Tests"));

    /// <summary>The folders with pages: that of the house, and those of its neighbours.</summary>
    public static IEnumerable<string> Pages => Neighbours("docs").Prepend(Path.Combine(FullName, "docs"));

    private static IEnumerable<string> Neighbours(string folder) => Directory.GetDirectories(Path.Combine(FullName, "Integrations")).Append(Path.Combine(FullName, "Clients"))
        .Select(neighbour => Path.Combine(neighbour, folder)).Where(Directory.Exists).Order(StringComparer.Ordinal);

    private static string Find()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Reloaded.Messaging.sln")))
                return folder.FullName;
        }

        throw new DirectoryNotFoundException($"No folder above {AppContext.BaseDirectory} holds Reloaded.Messaging.sln. Run the tests where they were built.");
    }
}
