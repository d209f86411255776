using System;
using System.Collections.Concurrent;
using System.IO;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Exports of the command-line tool, which runs as a process.</summary>
internal static class Tool
{
    private static readonly ConcurrentDictionary<(string Form, string Schema), Lazy<Task<string>>> s_exports = new();

    /// <summary>The schema of the messages with each kind of member.</summary>
    public static string Schema { get; } = Path.Combine(AppContext.BaseDirectory, "contracts.schema.json");

    /// <summary>The schema of the messages of docs/vectors.</summary>
    public static string Vectors { get; } = Path.Combine(AppContext.BaseDirectory, "vectors", "contracts.schema.json");

    /// <summary>Returns the text that <c>export</c> writes. The tool runs once for a form and a schema.</summary>
    public static Task<string> ExportAsync(string form, string schema) => s_exports.GetOrAdd((form, schema), static key => new(() => RunAsync(key.Form, key.Schema))).Value;

    /// <summary>Runs <c>export</c>.</summary>
    /// <param name="form">The form, such as <c>python</c>.</param>
    /// <param name="schema">The path of the schema.</param>
    /// <param name="arguments">Further arguments.</param>
    /// <returns>The standard output.</returns>
    public static async Task<string> RunAsync(string form, string schema, params string[] arguments)
    {
        var (exitCode, output, error) = await Programs.RunAsync("dotnet", [Programs.Built("Source/Reloaded.Messaging.Tool", "reloaded-messaging"), "export", "--to", form, "--schema", schema, .. arguments]);
        Assert.Equal((0, ""), (exitCode, error));
        return output.ReplaceLineEndings("\n");
    }
}
