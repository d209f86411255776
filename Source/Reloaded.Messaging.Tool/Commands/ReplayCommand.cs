using System.CommandLine;
using System.IO;

namespace Reloaded.Messaging.Tool;

/// <summary>Sends the events of a recording.</summary>
internal static class ReplayCommand
{
    public static Command Create(ToolConsole console)
    {
        var connection = new ConnectionArguments();
        var file = new Argument<string>("file") { Description = "The recording." };
        var speed = new Option<double>("--speed") { Description = "The factor of the recorded speed; 0 sends without waiting.", DefaultValueFactory = static _ => 1 };
        var command = new Command("replay", "Sends the events of a recording to a host, with the recorded delays.") { file };
        connection.AddTo(command);
        command.Options.Add(speed);
        command.SetAction((result, cancellationToken) => RunAsync(console, connection, result, result.GetValue(file)!, result.GetValue(speed), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, ConnectionArguments connection, ParseResult result, string file, double speed, CancellationToken cancellationToken)
    {
        NumberOption.Check("--speed", speed, speed is 0 or >= 0.001 and <= 1000, "0, or from 0.001 to 1000");
        var timeline = console.IsTerminal ? ReadTimeline(file) : new Timeline();
        using var reader = new StreamReader(file);
        await using var client = await connection.ConnectAsync(result, null, cancellationToken);
        var replayer = new EventReplayer(client.Server, speed);
        var sending = replayer.SendAsync(Recording.Read(reader), cancellationToken);
        await console.DrawUntilAsync(sending, isUnicode => replayer.Draw(timeline, isUnicode));
        try
        {
            await sending;
            await client.Server.FlushAsync().WaitAsync(connection.GetTimeout(result), cancellationToken);
        }
        catch (ToolException e) when (replayer.Count > 0)
        {
            throw new ToolException(e.ExitCode, $"{e.Message} {ToolConsole.Count(replayer.Count, "event")} of {file} had been sent before.");
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw ToolException.Interrupted($"after it had sent {ToolConsole.Count(replayer.Count, "event")} of {file}");
        }

        console.Output.WriteLine(FormattableString.Invariant($"replayed {ToolConsole.Count(replayer.Count, "event")} of {file}"));
        return ExitCode.Success;
    }

    private static Timeline ReadTimeline(string file)
    {
        using var reader = new StreamReader(file);
        var timeline = new Timeline();
        foreach (var message in Recording.Read(reader))
            timeline.Add(message.Time);
        return timeline;
    }
}
