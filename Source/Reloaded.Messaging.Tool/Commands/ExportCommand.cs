using System.CommandLine;
using System.IO;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes definitions of the contracts in another language.</summary>
internal static class ExportCommand
{
    private static readonly JsonSerializerOptions s_indented = new() { WriteIndented = true, Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static Command Create(ToolConsole console)
    {
        var schema = new SchemaArguments();
        var to = new Option<string>("--to") { Description = "The language or the form.", Required = true };
        to.AcceptOnlyFromAmong("json-schema", "typescript", "python", "c", "csharp2", "asyncapi");
        var output = new Option<string?>("--output") { Description = "The file to write (default: the standard output)." };
        var title = new Option<string>("--title") { Description = "The title of an AsyncAPI document.", DefaultValueFactory = static _ => "Messages" };
        var command = new Command("export", "Writes definitions of the contracts of a schema in another language.") { to, output, title };
        schema.AddTo(command);
        command.SetAction((result, _) => Task.FromResult(Run(console, schema.Load(result), result.GetValue(to)!, result.GetValue(output), result.GetValue(title)!)));
        return command;
    }

    /// <summary>Returns the definitions of the contracts in a form.</summary>
    /// <exception cref="ToolException">Thrown when the schema cannot be exported.</exception>
    public static string Export(Schema schema, string form, string title)
    {
        using var text = new StringWriter { NewLine = "\n" };
        switch (form)
        {
            case "typescript":
                new TypeScriptExport(schema, text).Write();
                break;
            case "python":
                new PythonExport(schema, text).Write();
                break;
            case "c":
                new CExport(schema, text).Write();
                break;
            case "csharp2":
                new CSharpExport(schema, text).Write();
                break;
            case "json-schema":
                Write(JsonSchemaExport.CreateSchema(schema));
                break;
            default:
                Write(JsonSchemaExport.CreateAsyncApi(schema, title));
                break;
        }

        return text.ToString();

        void Write(JsonObject document) => text.WriteLine(document.ToJsonString(s_indented).ReplaceLineEndings("\n"));
    }

    private static int Run(ToolConsole console, Schema schema, string form, string? file, string title)
    {
        if (schema.Contracts.Count == 0)
            throw ToolException.Invalid("There is no contract to export. Name the file of the contracts by --schema, or their assembly by --assembly.");
        var text = Export(schema, form, title); // a schema that cannot be exported leaves the file as it is
        if (file is null)
            console.Output.Write(text);
        else
            File.WriteAllText(file, text);
        return ExitCode.Success;
    }
}
