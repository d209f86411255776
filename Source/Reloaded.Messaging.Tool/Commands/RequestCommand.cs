using System;
using System.CommandLine;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Sends a request that is given as JSON, and prints the reply as JSON.</summary>
internal static class RequestCommand
{
    /// <summary>A reply contract that no host has. The type of the reply is known only when it arrives, so a tap reads it.</summary>
    private static readonly MessageContract<ReadOnlyMemory<byte>> s_anyReply = new(0xFFFF001F, new RawSerializer());

    public static Command Create(ToolConsole console)
    {
        var (connection, message) = (new ConnectionArguments(), new SchemaArguments());
        var command = new Command("request", "Sends a request, which is given as JSON, to a host, and prints the reply as JSON.");
        connection.AddTo(command);
        message.AddMessageTo(command);
        command.SetAction((result, cancellationToken) => RunAsync(console, connection, message, result, cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, ConnectionArguments connection, SchemaArguments message, ParseResult result, CancellationToken cancellationToken)
    {
        var schema = message.Load(result);
        var type = message.FindType(result, schema);
        var contract = SchemaSerializer.CreateContract(schema, type);
        var json = message.ReadMessage(result, contract);
        (MessageHeader Header, byte[] Payload)? reply = null;
        await using var client = await connection.ConnectAsync(result, client => client.Tap((in TappedMessage tapped) =>
        {
            if (tapped is { Direction: MessageDirection.Received, Header.Kind: MessageKind.Reply })
                reply = (tapped.Header, tapped.Payload.ToArray());
        }), cancellationToken);
        try
        {
            await client.Server.RequestAsync(contract, s_anyReply, in json, connection.GetTimeout(result), cancellationToken);
        }
        catch (RequestFaultException e)
        {
            throw new ToolException(ExitCode.Fault, $"{client.Server.RemoteName} replied with the fault {FaultText.Describe(e)}");
        }
        catch (Exception e) when (e is TimeoutException or RequestFailedException or MessageTooLargeException)
        {
            if (reply is null)
                throw new ToolException(ExitCode.NotDelivered, e.Message);
        }

        console.Output.WriteLine(Read(schema, reply!.Value.Header, reply.Value.Payload));
        return ExitCode.Success;
    }

    private static string Read(Schema schema, MessageHeader header, byte[] payload)
    {
        if (!schema.Contracts.TryGetValue(header.Type, out var type))
            throw ToolException.Invalid($"The reply arrived, and its type {header.Type} is not in the schema. Its payload is {Convert.ToHexString(payload)}.");
        var decoder = new PayloadDecoder<JsonElement>(SchemaSerializer.CreateContract(schema, type), MessageLimits.Default);
        return decoder.TryDecode(in header, payload, out var json, out var status)
            ? json.GetRawText()
            : throw ToolException.Invalid($"The reply is {type.Name}, and does not fit the schema: {status}. Its payload is {Convert.ToHexString(payload)}.");
    }
}
