using System;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Threading.Tasks;
using Examples;
using GameServer.Bots;
using GameServer.Display;
using GameServer.Worlds;
using Reloaded.Messaging;
using Reloaded.Messaging.Transports.LiteNetLib;

// One command runs a world and its players in one process. The players are bots, each with its own encrypted connection.
var isLiteNet = args is ["litenet", ..];
if (isLiteNet)
    args = args[1..];
if (args.Length > 2 || args.Any(static arg => !int.TryParse(arg, NumberStyles.None, CultureInfo.InvariantCulture, out var number) || number is < 1 or > 1000))
{
    Console.Error.WriteLine("Usage: GameServer [litenet] [SECONDS [PLAYERS]] (over LiteNetLib instead of TCP; each 1 to 1000; default: 5 and 40)");
    return 2;
}

const int Creatures = 200;
var seconds = args.Length > 0 ? int.Parse(args[0], CultureInfo.InvariantCulture) : 5;
var players = args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : 40;
var token = RandomNumberGenerator.GetBytes(32);
await using var server = await WorldServer.StartAsync(isLiteNet ? new LiteNetTransport().At(0) : MessageEndpoint.Tcp(0), Creatures, token);
await using var crowd = new Crowd();
await crowd.EnterAsync(server, token, players);
Console.WriteLine($"{Creatures} creatures and {players} players, over {(isLiteNet ? "LiteNetLib" : "TCP")} at {server.Host.Endpoint}, encrypted.");
server.Times.Clear(); // the ticks so far include just-in-time compilation
var start = new Reading(server);
await LiveTable.ShowAsync(server, TimeSpan.FromSeconds(seconds));
var end = new Reading(server);

// After the world has stopped, each bot's copy must equal the state that the server sent, once the last update has arrived.
await crowd.StopAsync();
await server.StopAsync();
var upToDate = 0;
for (var attempt = 0; attempt < 100 && (upToDate = crowd.Bots.Count(bot => bot.IsUpToDate(server))) < players; attempt++)
    await Task.Delay(20);

Console.WriteLine();
var table = new Table(Reading.Names);
table.Add(end.Since(start));
table.Print($"{seconds} seconds");
var ticks = server.GetTicks();
Console.WriteLine($"{ticks.Overruns} ticks took longer than the tick interval, {ticks.Skipped} ticks were skipped, and {ticks.Failures} ticks failed. The players received {crowd.Bots.Sum(static bot => bot.Heard):N0} shouts.");
Console.WriteLine($"{upToDate} of {players} players have a current copy of the world: {(upToDate == players ? "no update was lost" : "UPDATES WERE LOST")}.");
if (server.Failure is { } failure)
    Console.Error.WriteLine(failure);
return upToDate == players && ticks.Failures == 0 ? 0 : 1;
