using System.CommandLine;
using System.Text.Json;

namespace Reloaded.Messaging.Tool;

/// <summary>The arguments for the schema, and for a message as JSON.</summary>
internal sealed class SchemaArguments
{
    private readonly Option<string[]> _schema = new("--schema") { Description = "A file with the schema of contracts, which 'dotnet build -p:WriteMessageSchema=true' writes. May be repeated.", DefaultValueFactory = static _ => [] };
    private readonly Option<string[]> _assembly = new("--assembly") { Description = "An assembly whose project sets MessageSchemaFile. Its schema is read, and none of its code runs. May be repeated.", DefaultValueFactory = static _ => [] };
    private readonly Argument<string> _type = new("type") { Description = "The name or the id of the message type in the schema. The end of the name after a dot is sufficient." };
    private readonly Argument<string> _json = new("json") { Description = "The message as JSON (default: {}). Missing fields have their defaults.", Arity = ArgumentArity.ZeroOrOne };

    public void AddTo(Command command)
    {
        command.Options.Add(_schema);
        command.Options.Add(_assembly);
    }

    public void AddMessageTo(Command command)
    {
        command.Arguments.Add(_type);
        command.Arguments.Add(_json);
        AddTo(command);
    }

    public Schema Load(ParseResult result) => Schema.Load(result.GetValue(_schema)!, result.GetValue(_assembly)!);

    public SchemaContract FindType(ParseResult result, Schema schema) => schema.Find(result.GetValue(_type)!);

    /// <summary>Returns the message, which was written once, so that an invalid value fails before the connection.</summary>
    /// <exception cref="ToolException">Thrown when the text is not JSON, or does not fit the contract.</exception>
    public JsonElement ReadMessage(ParseResult result, MessageContract<JsonElement> contract)
    {
        JsonElement json;
        try
        {
            using var document = JsonDocument.Parse(result.GetValue(_json) ?? "{}");
            json = document.RootElement.Clone();
        }
        catch (JsonException e)
        {
            throw ToolException.Invalid($"The message is not JSON: {e.Message}");
        }

        try
        {
            using var packed = new MessageWriter().Pack(contract, in json);
            return json;
        }
        catch (Exception e) when (e is MessageTooLargeException or InvalidOperationException)
        {
            throw ToolException.Invalid(e.Message);
        }
    }
}
