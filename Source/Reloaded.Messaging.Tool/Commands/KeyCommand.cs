using System.CommandLine;
using System.IO;

namespace Reloaded.Messaging.Tool;

/// <summary>Creates the key of a server, and prints its public key.</summary>
internal static class KeyCommand
{
    public static Command Create(ToolConsole console)
    {
        var file = new Argument<string>("file") { Description = "The file with the private key. It is created if it does not exist, and is readable by this user only." };
        var command = new Command("key", "Creates the key of a server for ProtectionOptions.WithServerKeyFile, and prints the public key for ProtectionOptions.WithServerKey.") { file };
        command.SetAction(result => Run(console, result.GetValue(file)!));
        return command;
    }

    private static int Run(ToolConsole console, string file)
    {
        string? key;
        try
        {
            key = ProtectionOptions.WithServerKeyFile(file, createIfMissing: true).ServerKey;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The file '{file}' cannot be created: {e.Message}");
        }
        catch (ArgumentException e)
        {
            throw ToolException.Invalid(e.Message.Split('\n')[0]);
        }

        console.Output.WriteLine(key);
        return ExitCode.Success;
    }
}
