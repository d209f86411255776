using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.CClient;

/// <summary>A C program of Clients/c, compiled by gcc with its sanitizers when a test first needs it.</summary>
internal sealed class CProgram
{
    private static readonly string s_folder = Path.Combine(RepositoryFolder.FullName, "Clients", "c");
    private static readonly Dictionary<string, Task<CProgram>> s_programs = [];

    private readonly string _path;

    private CProgram(string path) => _path = path;

    /// <summary>Returns a compiled program. Skips the test if gcc is not installed.</summary>
    /// <param name="source">The source file, in the folder of the client.</param>
    /// <param name="schema">The schema whose contracts are exported for the program.</param>
    /// <param name="arguments">Further arguments of gcc.</param>
    public static Task<CProgram> GetAsync(string source, string schema, params string[] arguments)
    {
        var gcc = Programs.Find("gcc", "Install it with 'apt-get install gcc libc6-dev'.");
        lock (s_programs)
        {
            var key = $"{source} {schema} {string.Join(' ', arguments)}";
            if (!s_programs.TryGetValue(key, out var program))
                s_programs[key] = program = CompileAsync(gcc, source, schema, arguments);
            return program;
        }
    }

    /// <summary>Runs the program to its end.</summary>
    /// <param name="input">The lines of the standard input.</param>
    /// <param name="environment">Variables of the environment.</param>
    /// <param name="arguments">The arguments.</param>
    /// <returns>The lines of the standard output. The exit code was 0.</returns>
    public async Task<string[]> RunAsync(IEnumerable<string> input, (string Name, string Value)[] environment, params string[] arguments)
    {
        var (exitCode, output, error) = await Programs.RunAsync(_path, arguments, input, environment);
        Assert.True(exitCode == 0, $"{Path.GetFileName(_path)} ended with {exitCode}: {output}{error}");
        return output.TrimEnd('\n').Split('\n');
    }

    private static async Task<CProgram> CompileAsync(string gcc, string source, string schema, string[] arguments)
    {
        var folder = Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "c", Path.GetFileNameWithoutExtension(source))).FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "contracts.h"), await Tool.ExportAsync("c", schema));
        var program = Path.Combine(folder, "program");
        string[] all = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I", folder, "-I", s_folder, Path.Combine(s_folder, source), "-o", program, .. arguments];
        var (exitCode, output, error) = await Programs.RunAsync(gcc, all);
        Assert.True(exitCode == 0, output + error);
        return new CProgram(program);
    }
}
