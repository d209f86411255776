using System;
using System.IO;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Exports of the command-line tool, which runs as a process.</summary>
internal static class Tool
{
    /// <summary>The schema of the messages with each kind of member.</summary>
    public static string Schema { get; } = Path.Combine(AppContext.BaseDirectory, "contracts.schema.json");

    /// <summary>The schema of the messages of docs/vectors.</summary>
    public static string Vectors { get; } = Path.Combine(AppContext.BaseDirectory, "vectors", "contracts.schema.json");

    /// <summary>Returns the text that <c>export</c> writes.</summary>
    /// <param name="form">The form, such as <c>python</c>.</param>
    /// <param name="schema">The path of the schema.</param>
    /// <param name="arguments">Further arguments.</param>
    public static async Task<string> ExportAsync(string form, string schema, params string[] arguments)
    {
        var (exitCode, output, error) = await Programs.RunAsync("dotnet", [Programs.Built("Source/Reloaded.Messaging.Tool", "reloaded-messaging"), "export", "--to", form, "--schema", schema, .. arguments]);
        Assert.Equal((0, ""), (exitCode, error));
        return output.ReplaceLineEndings("\n");
    }
}
