using System;
using System.IO;
using System.Security.Cryptography;

namespace Dashboard;

/// <summary>The token of the pages. It is the same after a restart of the game, so that an open page connects again.</summary>
public static class PageToken
{
    private const int Size = 32;

    /// <summary>Reads the token from a file of this user, which is created with a random token. Other users of Unix cannot read it.</summary>
    public static byte[] ReadOrCreate()
    {
        var folder = Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData, Environment.SpecialFolderOption.DoNotVerify), "reloaded-messaging-dashboard");
        var file = Path.Combine(folder, "token");
        if (!File.Exists(file))
        {
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
            if (OperatingSystem.IsWindows())
            {
                Directory.CreateDirectory(folder); // in the profile of the user, which others cannot read
            }
            else
            {
                Directory.CreateDirectory(folder, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
                options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            }

            using var created = new FileStream(file, options);
            created.Write(RandomNumberGenerator.GetBytes(Size));
        }

        var token = File.ReadAllBytes(file);
        return token.Length == Size ? token : throw new InvalidDataException($"{file} is {token.Length} bytes; a token is {Size}. Delete the file.");
    }
}
