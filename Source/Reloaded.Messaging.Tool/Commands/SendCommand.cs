using System.CommandLine;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Sends an event that is given as JSON.</summary>
internal static class SendCommand
{
    public static Command Create(ToolConsole console)
    {
        var (connection, message) = (new ConnectionArguments(), new SchemaArguments());
        var command = new Command("send", "Sends an event, which is given as JSON, to a host.");
        connection.AddTo(command);
        message.AddMessageTo(command);
        command.SetAction((result, cancellationToken) => RunAsync(console, connection, message, result, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, ConnectionArguments connection, SchemaArguments message, ParseResult result, CancellationToken cancellationToken)
    {
        var schema = message.Load(result);
        var type = message.FindType(result, schema);
        if (type.IsRequest)
            throw new ToolException(ExitCode.Usage, $"{type.Name} is a {(type.Role == "stream" ? "request of a stream" : "request")}, and its host does not handle it as an event. {(type.Role == "stream" ? "The tool reads no streams." : "Use 'reloaded-messaging request'.")}");
        var contract = SchemaSerializer.CreateContract(schema, type);
        var json = message.ReadMessage(result, contract);
        await using var client = await connection.ConnectAsync(result, null, cancellationToken);
        RemoteContract.ThrowIfOther(client.Server, schema, type, contract);
        var status = await client.Server.SendAsync(contract, json, cancellationToken);
        if (status != SendStatus.Sent)
            throw new ToolException(ExitCode.NotDelivered, $"{type.Name} was not sent: {status}. docs/errors.md explains the statuses.");
        await client.Server.FlushAsync().WaitAsync(connection.GetTimeout(result), cancellationToken);
        console.Output.WriteLine($"sent {type.Name} to {client.Server.RemoteName}");
        return ExitCode.Success;
    }
}
