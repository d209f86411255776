using System;
using System.CommandLine;
using System.IO;
using System.Security.Cryptography;

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
        try
        {
            if (!File.Exists(file))
                Write(file);
            console.Output.WriteLine(ProtectionOptions.WithServerKeyFile(file).ServerKey);
            return ExitCode.Success;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The file '{file}' cannot be created: {e.Message}");
        }
        catch (ArgumentException e)
        {
            throw ToolException.Invalid(e.Message.Split('\n')[0]);
        }
    }

    private static void Write(string file)
    {
        using var key = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite; // on Windows, the folder decides
        using var writer = new StreamWriter(file, options);
        writer.WriteLine(key.ExportPkcs8PrivateKeyPem());
    }
}
