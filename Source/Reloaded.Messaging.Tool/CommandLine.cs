using System;
using System.CommandLine;
using System.CommandLine.Help;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tool;

/// <summary>The commands of the tool, and their errors.</summary>
internal static class CommandLine
{
    /// <summary>Runs the tool. Never throws: every error is one line, and an exit code.</summary>
    public static async Task<int> RunAsync(string[] args, ToolConsole console, CancellationToken cancellationToken = default)
    {
        try
        {
            var root = Create(console);
            var configuration = new InvocationConfiguration { Output = console.Output, Error = console.Error, EnableDefaultExceptionHandler = false };
            return await root.Parse(args).InvokeAsync(configuration, cancellationToken);
        }
        catch (ToolException e)
        {
            return Fail(console, e.ExitCode, e.Message);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return Fail(console, ExitCode.InvalidInput, e.Message);
        }
        catch (OperationCanceledException)
        {
            return ExitCode.Success; // Ctrl+C ends a command that runs until then
        }
        catch (Exception e)
        {
            return Fail(console, ExitCode.InvalidInput, $"The tool failed, which is a defect of the tool. {e.GetType().Name}: {e.Message}");
        }
    }

    private static RootCommand Create(ToolConsole console)
    {
        var root = new RootCommand("Lists and watches servers of Reloaded.Messaging, and decodes, sends, records and replays their messages. Moves dead letters at RabbitMQ.")
        {
            ListCommand.Create(console),
            WatchCommand.Create(console),
            DecodeCommand.Create(console),
            SendCommand.Create(console),
            RequestCommand.Create(console),
            RecordCommand.Create(console),
            ReplayCommand.Create(console),
            DeadLettersCommand.Create(console),
        };
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new HelpWithExamples((HelpAction)help.Action!);
        return root;
    }

    private static int Fail(ToolConsole console, int exitCode, string message)
    {
        console.Error.WriteLine(message.ReplaceLineEndings(" "));
        return exitCode;
    }
}
