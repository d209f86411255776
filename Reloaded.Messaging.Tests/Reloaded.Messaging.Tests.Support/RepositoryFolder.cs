using System;
using System.IO;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The repository that the running tests were built in. A path of the compiler is no help: a build with CI=true replaces it.</summary>
public static class RepositoryFolder
{
    /// <summary>The full path.</summary>
    public static string FullName { get; } = Find();

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
