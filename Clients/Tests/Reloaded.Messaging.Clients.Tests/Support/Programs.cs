using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Programs that tests find and run.</summary>
internal static class Programs
{
    /// <summary>Returns the path of an installed program. Skips the test if the program is not installed.</summary>
    /// <param name="name">The name of the file.</param>
    /// <param name="advice">How to install the program: a sentence.</param>
    public static string Find(string name, string advice)
    {
        var found = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Select(folder => Path.Combine(folder, name)).FirstOrDefault(File.Exists);
        Assert.SkipUnless(found is not null, $"{name} is not installed. {advice}");
        return found!;
    }

    /// <summary>Runs a program to its end.</summary>
    /// <param name="program">The name or the path of the program.</param>
    /// <param name="arguments">The arguments.</param>
    /// <param name="input">The lines of the standard input.</param>
    /// <param name="environment">Variables of the environment.</param>
    /// <param name="folder">The working directory; an empty text for that of this process.</param>
    public static async Task<(int ExitCode, string Output, string Error)> RunAsync(string program, string[] arguments, IEnumerable<string>? input = null, (string Name, string Value)[]? environment = null, string folder = "")
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = folder };
        foreach (var (name, value) in environment ?? [])
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        var (output, error) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        await Task.Run(
            () =>
            {
                foreach (var line in input ?? [])
                    process.StandardInput.WriteLine(line);
                process.StandardInput.Close();
            },
            CancellationToken.None);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(TimeSpan.FromMinutes(2));
        return (process.ExitCode, await output, await error);
    }

    /// <summary>The path of a program of a project that was built with the tests.</summary>
    /// <param name="project">The folder of the project, from that of the repository.</param>
    /// <param name="name">The name of the assembly; <c>null</c> for that of the folder.</param>
    public static string Built(string project, string? name = null) =>
        Path.Combine(RepositoryFolder.FullName, project, "bin", new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name, "net10.0", $"{name ?? Path.GetFileName(project)}.dll");
}
