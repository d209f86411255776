using System;
using System.Linq;
using System.Security.Cryptography;
using System.Threading.Tasks;
using Examples;
using GameServer.Bots;
using GameServer;
using GameServer.Display;
using GameServer.Worlds;
using Reloaded.Messaging;
using Reloaded.Messaging.Transports.LiteNetLib;

// One command runs a world and its players in one process. The players are bots, each with its own encrypted connection.
if (!Arguments.TryParse(args, out var arguments))
{
    Console.Error.WriteLine(Arguments.Usage);
    return 2;
}

const int Creatures = 200;
var (seconds, players) = (arguments.Seconds, arguments.Players);
var token = RandomNumberGenerator.GetBytes(32);
await using var server = await WorldServer.StartAsync(
    arguments.Transport switch
    {
        "litenet" => new LiteNetTransport().At(0),
        "udp" => MessageEndpoint.Udp(0),
        _ => MessageEndpoint.Tcp(0),
    },
    Creatures,
    token);
using var path = arguments.Transport == "udp" ? new BadPath(server.Host.Endpoint.Port, arguments.Loss, arguments.Delay) : null;
await using var crowd = new Crowd();
await crowd.EnterAsync(path?.Endpoint ?? server.Host.Endpoint, token, players);
Console.WriteLine($"{Creatures} creatures and {players} players, over {arguments.Transport} at {server.Host.Endpoint}, encrypted.");
if (path is not null)
    Console.WriteLine($"Each datagram passes an emulated path: {arguments.Loss} % are lost in each direction, and a round trip takes {arguments.Delay} ms.");
server.Times.Clear(); // the ticks so far include just-in-time compilation
var start = new Reading(server);
await LiveTable.ShowAsync(server, TimeSpan.FromSeconds(seconds));
var end = new Reading(server);
var seen = crowd.Bots.Select(static bot => bot.GetView()).ToArray();

// After the world has stopped, each bot's copy must equal the state that the server sent, once the last update has arrived.
await crowd.StopAsync();
await server.StopAsync();
var upToDate = 0;
for (var attempt = 0; attempt < 200 && (upToDate = crowd.Bots.Count(bot => bot.IsUpToDate(server))) < players; attempt++)
    await Task.Delay(20);

Console.WriteLine();
var table = new Table(Reading.Names);
table.Add(end.Since(start));
table.Print($"{seconds} seconds");
var ticks = server.GetTicks();
if (path is not null)
    PlayerTable.Print(seen);
Console.WriteLine($"{ticks.Overruns} ticks took longer than the tick interval, {ticks.Skipped} ticks were skipped, and {ticks.Failures} ticks failed. The players received {crowd.Bots.Sum(static bot => bot.Heard):N0} shouts.");
Console.WriteLine($"{upToDate} of {players} players have a current copy of the world: {(upToDate == players ? "no update was lost" : "UPDATES WERE LOST")}.");
if (server.Failure is { } failure)
    Console.Error.WriteLine(failure);
return upToDate == players && ticks.Failures == 0 ? 0 : 1;
