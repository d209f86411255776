using System.Diagnostics;
using System.IO;
using System.Security.Cryptography;
using GameServer.Worlds;
using Reloaded.Messaging.Benchmarks.Links;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Benchmarks.Game.Players;

/// <summary>The world of <see cref="PlayersRun"/>, in its own process behind the emulated path.</summary>
public static class PlayersServer
{
    public const string Verb = "players-server";

    private const int Creatures = 200;

    /// <summary>Prints the port, the token and the public key. Replies to each line with the number of connected players, the ticks and the 99th percentile of their times in milliseconds since the last line.</summary>
    public static async Task RunAsync(string transport)
    {
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var (token, protection) = (RandomNumberGenerator.GetBytes(32), ProtectionOptions.WithServerKeyFile(path, createIfMissing: true));
        File.Delete(path);
        await using var server = await WorldServer.StartAsync(At(transport, 0), Creatures, token, protection, TimeSpan.FromSeconds(10), PlayersRun.MaxPlayers);
        Console.WriteLine($"{server.Host.Endpoint.Port} {Convert.ToHexString(token)} {protection.ServerKey}");
        while (await Task.Run(Console.In.ReadLine) is not null) // the asynchronous read of a console blocks
        {
            var counts = server.GetCounts();
            Console.WriteLine(FormattableString.Invariant($"{counts.Players} {counts.Ticks} {server.Times.Percentile(0.99)}"));
            server.Times.Clear();
        }
    }

    /// <summary>The endpoint of the server behind the emulated path.</summary>
    public static MessageEndpoint At(string transport, int port) => transport switch
    {
        PathPeer.Ours => MessageEndpoint.Udp(EmulatedLink.ServerAddress, port),
        PathPeer.LiteNet => new LiteNetTransport().At(EmulatedLink.ServerAddress, port),
        _ => MessageEndpoint.Tcp(EmulatedLink.ServerAddress, port),
    };
}
