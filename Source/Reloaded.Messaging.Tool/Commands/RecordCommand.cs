using System.CommandLine;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Records the events that a client receives.</summary>
internal static class RecordCommand
{
    public static Command Create(ToolConsole console)
    {
        var (connection, schema) = (new ConnectionArguments(), new SchemaArguments());
        var file = new Argument<string>("file") { Description = "The file to write. An existing file is replaced." };
        var count = new Option<int?>("--count") { Description = "Ends after this number of events." };
        var seconds = new Option<double?>("--seconds") { Description = "Ends after this time. Without it, the recording ends by Ctrl+C or with the connection." };
        var command = new Command("record", "Connects as a client, and writes the events that arrive, with their times, to a file.");
        connection.AddTo(command);
        command.Arguments.Add(file);
        command.Options.Add(count);
        command.Options.Add(seconds);
        schema.AddTo(command);
        command.SetAction((result, cancellationToken) => RunAsync(console, connection, schema.Load(result), result, result.GetValue(file)!, result.GetValue(count) ?? int.MaxValue, result.GetValue(seconds), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, ConnectionArguments connection, Schema schema, ParseResult result, string file, int count, double? seconds, CancellationToken cancellationToken)
    {
        NumberOption.Check("--count", count, count >= 1, "at least 1");
        NumberOption.Check("--seconds", seconds ?? 0, seconds is null or > 0 and <= 1e6, "more than 0 and at most 1000000");
        var contracts = schema.Contracts.Values.Select(one => SchemaSerializer.CreateContract(schema, one)).ToArray();
        var (recorder, started) = (new EventRecorder(count), TimeProvider.System.GetUtcNow());
        DisconnectReason? ended = null;
        await using (var client = await connection.ConnectAsync(result, client =>
        {
            client.Tap(recorder.Record);
            client.PeerDisconnected += (_, reason) => recorder.End();
        }, cancellationToken))
        {
            foreach (var contract in contracts)
                RemoteContract.ThrowIfOther(client.Server, schema, schema.Contracts[contract.Type], contract);
            using var target = new RecordingFile(file, Recording.FormatStart(connection.GetEndpoint(result), started, contracts)); // not before: it replaces an existing file
            var ending = recorder.RunAsync(target, seconds is { } time ? TimeSpan.FromSeconds(time) : Timeout.InfiniteTimeSpan, cancellationToken);
            await console.DrawUntilAsync(ending, recorder.Draw);
            try
            {
                await ending;
            }
            catch (IOException e)
            {
                throw ToolException.Invalid($"{e.Message} {file} contains {ToolConsole.Count(recorder.Count, "event")}, and no later ones.");
            }

            ended = client.Server.Disconnected;
        }

        console.Output.WriteLine(FormattableString.Invariant($"recorded {ToolConsole.Count(recorder.Count, "event")} in {file}"));
        return ended is null ? ExitCode.Success : throw new ToolException(ExitCode.NoConnection, $"The connection ended: {ended}. The file contains the events before.");
    }
}
