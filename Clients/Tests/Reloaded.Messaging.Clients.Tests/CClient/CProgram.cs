using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.CClient;

/// <summary>A C program of Clients/c, compiled by gcc with its sanitizers when a test first needs it.</summary>
internal sealed class CProgram
{
    private static readonly string s_folder = Path.Combine(RepositoryFolder.FullName, "Clients", "c");
    private static readonly string s_output = Path.Combine(AppContext.BaseDirectory, "c");
    private static readonly string s_client = Path.Combine(s_folder, "reloaded_messaging.c");
    private static readonly Dictionary<string, Task<CProgram>> s_programs = [];
    private static Task<string>? s_clientObject;

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
                s_programs[key] = program = CompileAsync(gcc, source, schema, arguments, arguments.Contains(s_client) ? s_clientObject ??= CompileClientAsync(gcc) : Task.FromResult(""));
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

    /// <summary>Compiles a program. The client among the arguments is compiled once for all programs.</summary>
    private static async Task<CProgram> CompileAsync(string gcc, string source, string schema, string[] arguments, Task<string> client)
    {
        var folder = Directory.CreateDirectory(Path.Combine(s_output, Path.GetFileNameWithoutExtension(source))).FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "contracts.h"), await Tool.ExportAsync("c", schema));
        var program = Path.Combine(folder, "program");
        var compiled = await client;
        await RunAsync(gcc, ["-I", folder, Path.Combine(s_folder, source), "-o", program, .. arguments.Select(one => one == s_client ? compiled : one)]);
        return new CProgram(program);
    }

    /// <summary>Returns the path of the object file of the client.</summary>
    private static async Task<string> CompileClientAsync(string gcc)
    {
        var file = Path.Combine(Directory.CreateDirectory(s_output).FullName, "client.o");
        await RunAsync(gcc, ["-c", s_client, "-o", file]);
        return file;
    }

    private static async Task RunAsync(string gcc, string[] arguments)
    {
        var (exitCode, output, error) = await Programs.RunAsync(gcc, ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I", s_folder, .. arguments]);
        Assert.True(exitCode == 0, output + error);
    }
}
