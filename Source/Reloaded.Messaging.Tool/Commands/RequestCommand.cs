using System.CommandLine;
using System.Globalization;
using System.Text.Json;
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
        if (type.Role == "stream" || type is { Role: "event", IsOfService: true })
            throw new ToolException(ExitCode.Usage, $"{type.Name} is {(type.Role == "stream" ? "a request of a stream, and the tool reads no streams." : "an event. Use 'reloaded-messaging send'.")}");
        var contract = SchemaSerializer.CreateContract(schema, type);
        var json = message.ReadMessage(result, contract);
        (MessageHeader Header, byte[] Payload)? reply = null;
        await using var client = await connection.ConnectAsync(result, client => client.Tap((in TappedMessage tapped) =>
        {
            if (tapped is { Direction: MessageDirection.Received, Header.Kind: MessageKind.Reply })
                reply = (tapped.Header, tapped.Payload.ToArray());
        }), cancellationToken);
        RemoteContract.ThrowIfOther(client.Server, schema, type, contract);
        if (type.Reply is { } id && schema.Contracts.TryGetValue(id, out var expected)) // otherwise, its type is known only when it arrives
            RemoteContract.ThrowIfOther(client.Server, schema, expected, SchemaSerializer.CreateContract(schema, expected));
        var timeout = connection.GetTimeout(result);
        try
        {
            await client.Server.RequestAsync(contract, s_anyReply, in json, timeout, cancellationToken);
        }
        catch (RequestFaultException e)
        {
            var text = FaultText.Describe(e);
            throw new ToolException(ExitCode.Fault, $"{client.Server.RemoteName} replied with the fault {(e.Code == FaultCode.NoHandler ? Name(text) : text)}");
        }
        catch (TimeoutException) when (reply is null)
        {
            throw new ToolException(ExitCode.NotDelivered, string.Create(CultureInfo.InvariantCulture, $"The host did not reply to {type.Name} within {timeout.TotalSeconds} s. It may still handle the request. Raise --timeout, or check the host."));
        }
        catch (Exception e) when (e is TimeoutException or RequestFailedException or MessageTooLargeException)
        {
            if (reply is null)
                throw new ToolException(ExitCode.NotDelivered, Name(e.Message));
        }

        console.Output.WriteLine(Read(client.Server, schema, type, reply!.Value.Header, reply.Value.Payload));
        return ExitCode.Success;

        string Name(string text) => text.Replace(nameof(JsonElement), type.Name, StringComparison.Ordinal); // a text of the library names the .NET type of the request
    }

    private static string Read(Peer host, Schema schema, SchemaContract request, MessageHeader header, byte[] payload)
    {
        if (header.Type == Acknowledgement.Contract.Type)
            return "null"; // a reply without content
        if (request.Reply is { } id && id != header.Type)
            throw ToolException.Invalid(FormattableString.Invariant($"The reply has the type {header.Type}, and that of {request.Name} has the type {id} in the schema. Its payload is {Convert.ToHexString(payload)}. Name the schema of the host by --schema."));
        if (!schema.Contracts.TryGetValue(header.Type, out var type))
            throw ToolException.Invalid($"The reply arrived, and its type {header.Type} is not in the schema. Its payload is {Convert.ToHexString(payload)}.");
        var contract = SchemaSerializer.CreateContract(schema, type);
        RemoteContract.ThrowIfOther(host, schema, type, contract);
        var decoder = new PayloadDecoder<JsonElement>(contract, MessageLimits.Default);
        return decoder.TryDecode(in header, payload, out var json, out var status)
            ? json.GetRawText()
            : throw ToolException.Invalid($"The reply is {type.Name}, and does not fit the schema: {status}. Its payload is {Convert.ToHexString(payload)}.");
    }
}
