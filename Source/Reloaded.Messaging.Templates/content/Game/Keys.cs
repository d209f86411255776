using System.Security.Cryptography;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

/// <summary>The keys of the game. The first run of the server creates their files.</summary>
/// <remarks>server.pem is for the server alone: a program that has it can pose as the server. Ship players.txt with the game: the public key of the server, and the token.</remarks>
public static class Keys
{
    private const string ServerFile = "server.pem";
    private const string PlayersFile = "players.txt";

    public static MessageHostOptions ForServer()
    {
        var protection = ProtectionOptions.WithServerKeyFile(ServerFile, createIfMissing: true);
        if (!File.Exists(PlayersFile) || ReadPlayersFile()[0] != protection.ServerKey)
            File.WriteAllLines(PlayersFile, [protection.ServerKey!, Convert.ToHexString(RandomNumberGenerator.GetBytes(32))]);
        return new MessageHostOptions { Token = Convert.FromHexString(ReadPlayersFile()[1]), Protection = protection };
    }

    public static MessageHostOptions ForPlayers()
    {
        var lines = ReadPlayersFile();
        return new MessageHostOptions { Token = Convert.FromHexString(lines[1]), Protection = ProtectionOptions.WithServerKey(lines[0]) };
    }

    private static string[] ReadPlayersFile() => !File.Exists(PlayersFile)
        ? throw new FileNotFoundException($"{PlayersFile} is missing. Start the server first, in this folder: it writes the file.")
        : File.ReadAllLines(PlayersFile) is { Length: 2 } lines ? lines : throw new InvalidDataException($"{PlayersFile} must have two lines: the server key and the token. Delete it and {ServerFile}, and start the server again.");
}
