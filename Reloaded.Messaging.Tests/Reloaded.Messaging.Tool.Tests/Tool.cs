using System.IO;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Terminals;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Runs the tool in this process.</summary>
internal sealed record Tool(int ExitCode, string Output, string Error)
{
    public static string Schema { get; } = Path.Combine(AppContext.BaseDirectory, "contracts.schema.json");

    public static Task<Tool> RunAsync(params string[] arguments) => RunAsync(CancellationToken.None, arguments);

    public static Task<Tool> RunAsync(CancellationToken cancellationToken, params string[] arguments) => RunAsync(arguments, null, cancellationToken);

    public static Task<Tool> RunInTerminalAsync(params string[] arguments) => RunAsync(arguments, new TestTerminal(), CancellationToken.None);

    public static async Task<Tool> RunAsync(string[] arguments, ToolTerminal? terminal, CancellationToken cancellationToken)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        var exitCode = await CommandLine.RunAsync(arguments, new ToolConsole(TextReader.Null, output, error, terminal, isErrorTerminal: false), cancellationToken).InTime();
        Assert.DoesNotContain("defect of the tool", error.ToString());
        Assert.DoesNotContain("   at ", error.ToString());
        return new Tool(exitCode, output.ToString().ReplaceLineEndings("\n"), error.ToString().ReplaceLineEndings("\n"));
    }
}
