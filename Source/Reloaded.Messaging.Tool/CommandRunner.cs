using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tool;

/// <summary>Runs the commands of a tool, and prints their errors.</summary>
internal static class CommandRunner
{
    private const int BrokenPipe = 32; // EPIPE

    /// <summary>Runs a command of a tool. Never throws: every error is one line, and an exit code.</summary>
    /// <param name="root">The commands.</param>
    /// <param name="tool">The name of the tool.</param>
    /// <param name="examples">The examples of each command, for its help.</param>
    /// <param name="args">The command line.</param>
    /// <param name="console">The streams of the tool.</param>
    /// <param name="cancellationToken">Interrupts the command.</param>
    public static async Task<int> RunAsync(RootCommand root, string tool, IReadOnlyDictionary<string, string[]> examples, string[] args, ToolConsole console, CancellationToken cancellationToken)
    {
        try
        {
            var help = root.Options.OfType<HelpOption>().Single();
            help.Action = new HelpWithExamples((HelpAction)help.Action!, tool, examples);
            var configuration = new InvocationConfiguration { Output = console.Output, Error = console.Error, EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null };
            var command = root.Parse(args);
            return command.Action is ParseErrorAction
                ? Fail(console, ExitCode.Usage, Describe(command, tool))
                : args.Contains("") ? Fail(console, ExitCode.Usage, $"An argument is empty. Look for a variable without a value. See '{tool} --help'.")
                : await command.InvokeAsync(configuration, cancellationToken);
        }
        catch (ToolException e)
        {
            return Fail(console, e.ExitCode, e.Message);
        }
        catch (IOException e) when (e.HResult == BrokenPipe && !OperatingSystem.IsWindows())
        {
            return ExitCode.Success; // the reader of the output has read enough
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return Fail(console, ExitCode.InvalidInput, e.Message);
        }
        catch (OperationCanceledException)
        {
            return Fail(console, ExitCode.NotDelivered, ToolException.Interrupted("before it was done").Message);
        }
        catch (Exception e)
        {
            return Fail(console, ExitCode.InvalidInput, $"The tool failed, which is a defect of the tool. {e.GetType().Name}: {e.Message}");
        }
    }

    private static int Fail(ToolConsole console, int exitCode, string message)
    {
        try
        {
            console.Error.WriteLine(message.ReplaceLineEndings(" "));
        }
        catch (IOException)
        {
            // Nothing can be written any more, for example because the disk is full. The exit code still tells the error.
        }

        return exitCode;
    }

    /// <summary>Describes the errors of a command line. The parser writes choices one below the other, and types by their .NET names.</summary>
    private static string Describe(ParseResult command, string tool)
    {
        var errors = string.Join(" ", command.Errors.Select(static error => error.Message));
        errors = Regex.Replace(Regex.Replace(errors, "'\\s+'", "', '"), " as expected type '\\S+'", " as a number").ReplaceLineEndings(" ").Replace("\t", "", StringComparison.Ordinal);
        var name = string.Join(" ", command.CommandResult.Command.Parents.OfType<Command>().Append(command.CommandResult.Command).Where(static one => one is not RootCommand).Select(static one => $" {one.Name}"));
        return $"{errors.TrimEnd('.')}. See '{tool}{name} --help'.";
    }
}

/// <summary>Prints the help of a command, and its examples.</summary>
/// <param name="help">The help.</param>
/// <param name="tool">The name of the tool.</param>
/// <param name="examples">The examples of each command, without the name of the tool; those of the tool have an empty name.</param>
internal sealed class HelpWithExamples(HelpAction help, string tool, IReadOnlyDictionary<string, string[]> examples) : SynchronousCommandLineAction
{
    public override int Invoke(ParseResult parseResult)
    {
        var result = help.Invoke(parseResult);
        var output = parseResult.InvocationConfiguration.Output;
        if (examples.TryGetValue(parseResult.CommandResult.Command is RootCommand ? "" : parseResult.CommandResult.Command.Name, out var lines))
        {
            output.WriteLine("Examples:");
            foreach (var line in lines)
                output.WriteLine($"  {tool} {line}");
            output.WriteLine();
        }

        output.WriteLine("Exit codes: 0 success, 1 invalid command line, 2 invalid input, 3 no connection, 4 not sent or no reply, 5 fault.");
        return result;
    }
}
