using System.CommandLine;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Creates a server, its client and their messages. The files are those of the templates of <c>dotnet new</c>, which are resources of the tool.</summary>
internal static class NewCommand
{
    private const string Framework = "net10.0";

    private static readonly string[] s_files = ["Messages.cs", "Server/Server.csproj", "Server/Program.cs", "Client/Client.csproj", "Client/Program.cs"];

    public static Command Create(ToolConsole console)
    {
        var folder = new Argument<string>("folder") { Description = "The folder to create. It must not contain files." };
        var framework = new Option<string>("--framework") { Description = "The framework of both projects.", DefaultValueFactory = static _ => Framework };
        framework.AcceptOnlyFromAmong(Framework, "net8.0");
        var command = new Command("new", "Creates a server, its client, and the messages that both compile.") { folder, framework };
        command.SetAction(result => Run(console, result.GetValue(folder)!, result.GetValue(framework)!));
        return command;
    }

    private static int Run(ToolConsole console, string folder, string framework)
    {
        if (Directory.Exists(folder) && Directory.EnumerateFileSystemEntries(folder).Any())
            throw ToolException.Invalid($"The folder '{folder}' contains files. Name a folder that is empty or does not exist.");
        var paths = s_files.Select(file => Path.Combine(folder, file.Replace('/', Path.DirectorySeparatorChar))).ToArray();
        foreach (var (file, path) in s_files.Zip(paths))
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            using var reader = new StreamReader(typeof(NewCommand).Assembly.GetManifestResourceStream(file)!);
            var text = reader.ReadToEnd().ReplaceLineEndings("\n").Replace(Framework, framework);
            if (Path.GetExtension(file) == ".csproj")
                text = text.Replace("  <ItemGroup>\n", "  <ItemGroup>\n    <Compile Include=\"../Messages.cs\" />\n");
            File.WriteAllText(path, text);
        }

        Array.ForEach(paths, console.Output.WriteLine); // all files are there, also if the output fails
        console.Output.WriteLine($"Start the server with 'dotnet run --project {Quote(Path.Combine(folder, "Server"))}', and then the client with 'dotnet run --project {Quote(Path.Combine(folder, "Client"))}'.");
        return ExitCode.Success;
    }

    /// <summary>Quotes a path that a shell would split.</summary>
    private static string Quote(string path) => path.All(static one => char.IsLetterOrDigit(one) || "/\\:._-".Contains(one)) ? path : $"\"{path}\"";
}
