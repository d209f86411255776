using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Exports;

/// <summary>A temporary folder with exported definitions and the programs that use them.</summary>
internal sealed class ExportFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("export-");

    public string FullName => _folder.FullName;

    public void Dispose() => _folder.Delete(recursive: true);

    /// <summary>Returns the path of Python. Skips the test if Python is not installed.</summary>
    public static string FindPython() => Programs.Find("python3", "Install it with 'apt-get install python3'.");

    /// <summary>Writes a file.</summary>
    public void Write(string file, string text) => File.WriteAllText(Path.Combine(FullName, file), text);

    /// <summary>Writes the definitions of a schema to a file.</summary>
    public Task ExportAsync(string form, string file, string schema) => Tool.RunAsync(form, schema, "--output", Path.Combine(FullName, file));

    /// <summary>Compiles files as strict TypeScript, without checks of its own library. Skips the test if Node or the compiler is not installed.</summary>
    public Task CompileTypeScriptAsync(params string[] arguments)
    {
        const string Advice = "Install it with 'npm install --prefix artifacts/npm typescript@5.9'.";
        var node = Programs.Find("node", Advice);
        var compiler = Path.Combine(RepositoryFolder.FullName, "artifacts", "npm", "node_modules", "typescript", "bin", "tsc");
        Assert.SkipUnless(File.Exists(compiler), $"The TypeScript compiler is not installed. {Advice}");
        return RunAsync([node, compiler], ["--strict", "--noEmit", "--skipDefaultLibCheck", "--target", "es2022", "--module", "nodenext", .. arguments]);
    }

    /// <summary>Runs a program in the folder, with the Python client in the path of Python. The exit code was 0.</summary>
    public async Task RunAsync(string[] program, params string[] arguments)
    {
        var python = Path.Combine(RepositoryFolder.FullName, "Clients", "python");
        var (exitCode, output, error) = await Programs.RunAsync(program[0], [.. program.Skip(1), .. arguments], environment: [("MYPYPATH", python), ("PYTHONPATH", python)], folder: FullName);
        Assert.True(exitCode == 0, output + error);
    }
}
