using System;
using System.IO;
using System.Security.Cryptography;
using Reloaded.Messaging;

namespace GameServer.Worlds;

/// <summary>The key of the server. Players know the server by its public key, so a player cannot pose as the server.</summary>
public static class ServerKey
{
    /// <summary>The file of the private key, if no other one is named: beside the program.</summary>
    public static string DefaultPath { get; } = Path.Combine(AppContext.BaseDirectory, "server.pem");

    /// <summary>Returns the protection of a server by the private key in a file. The first run creates the file, as <c>reloaded-messaging key</c> does.</summary>
    public static ProtectionOptions OpenOrCreate(string path)
    {
        if (!File.Exists(path))
        {
            using var key = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
            if (!OperatingSystem.IsWindows())
                options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            using var writer = new StreamWriter(path, options);
            writer.WriteLine(key.ExportPkcs8PrivateKeyPem());
        }

        return ProtectionOptions.WithServerKeyFile(path);
    }
}
