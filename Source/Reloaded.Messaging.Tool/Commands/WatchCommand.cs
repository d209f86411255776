using System.CommandLine;

namespace Reloaded.Messaging.Tool;

/// <summary>Shows the state of a running host.</summary>
internal static class WatchCommand
{
    public static Command Create(ToolConsole console)
    {
        var connection = new ConnectionArguments();
        var interval = new Option<double>("--interval") { Description = "The time between two displays, in seconds.", DefaultValueFactory = static _ => 1 };
        var count = new Option<int?>("--count") { Description = "Ends after this number of displays." };
        var command = new Command("watch", "Shows the peers, message types, rates, queues and counters of a running host, which has called AllowInspection(). On a terminal, the last line names the keys.");
        connection.AddTo(command);
        command.Options.Add(interval);
        command.Options.Add(count);
        command.SetAction((result, cancellationToken) => RunAsync(console, connection, result, result.GetValue(interval), result.GetValue(count) ?? int.MaxValue, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, ConnectionArguments connection, ParseResult result, double interval, int count, CancellationToken cancellationToken)
    {
        NumberOption.Check("--interval", interval, interval is >= 0.05 and <= 3600, "from 0.05 to 3600 seconds");
        NumberOption.Check("--count", count, count >= 1, "at least 1");
        await using var client = await connection.ConnectAsync(result, null, cancellationToken);
        var watcher = new Watcher(client, connection.GetTimeout(result), TimeSpan.FromSeconds(interval));
        try
        {
            await ShowAsync(console, watcher, count, cancellationToken);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Ctrl+C ends the command
        }

        return ExitCode.Success;
    }

    private static async Task ShowAsync(ToolConsole console, Watcher watcher, int count, CancellationToken cancellationToken)
    {
        WatchedRates? last;
        using (var screen = console.TryOpenScreen())
        {
            if (screen is null)
            {
                await watcher.RunAsync(count, rates => console.Output.WriteLine(WatchLine.Create(rates)), console.Output.WriteLine, cancellationToken);
                return;
            }

            last = await new WatchDisplay(screen, console.Clock).RunAsync(watcher, count, cancellationToken);
        }

        if (last is not null)
            console.Output.WriteLine(WatchLine.Create(last));
    }
}
