using System;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Examples;
using GameServer;
using GameServer.Bots;
using GameServer.Display;
using GameServer.Worlds;
using Reloaded.Messaging;

// This process runs a world. A second process runs its players: bots, each with its own encrypted connection.
if (args is [CrowdProcess.Argument])
    return await CrowdProcess.RunAsync();
if (!Arguments.TryParse(args, out var arguments))
{
    Console.Error.WriteLine(Arguments.Usage);
    return 2;
}

const int Creatures = 200;
PathConditions[] walk = [new(0, 50, 20_000), new(2, 50, 20_000), new(2, 150, 1000), new(10, 300, 300), new(2, 50, 20_000)];
var (transport, seconds, players) = (arguments.Transport, arguments.Seconds, arguments.Players);
var path = arguments.Walks ? walk[0] : arguments.Path;
var token = RandomNumberGenerator.GetBytes(32);
var protection = ProtectionOptions.WithServerKeyFile(arguments.KeyFile, createIfMissing: true);
await using var server = await WorldServer.StartAsync(CrowdProcess.At(transport, 0), Creatures, token, protection, TimeSpan.FromSeconds(10));
await using var crowd = await CrowdProcess.StartAsync();
var entering = crowd.DoAsync(new EnterAll(transport, server.Host.Endpoint.Port, token, protection.ServerKey!, players, path));
await Screen.WaitAsync(entering, () => $"{server.Host.AllPeers.Count} of {players} players have joined.");
Console.WriteLine($"{Creatures} creatures and {players} players, over {transport} at {server.Host.Endpoint}, encrypted. Players know the server by its key {protection.ServerKey}.");

server.Times.Clear(); // the ticks so far include just-in-time compilation
await crowd.LookAsync(); // the time so far includes the joins
var start = new Reading(server);
for (var stage = 0; stage < (arguments.Walks ? walk.Length : 1); stage++)
{
    if (arguments.Walks)
        await crowd.DoAsync(path = walk[stage]);
    if (path != default)
        Console.WriteLine($"On the path, {path}.");
    await WatchAsync(TimeSpan.FromSeconds(arguments.Walks ? 10 : seconds));
}

// After the world has stopped, each bot's copy must equal the state that the server sent, once the last update has arrived.
var end = new Reading(server);
var upToDate = 0;
var comparing = CompareAsync();
await Screen.WaitAsync(comparing, () => $"{upToDate} of {players} players have a current copy of the world.");
var views = await comparing;

var table = new Table(Reading.Names);
table.Add(end.Since(start));
table.Print("In all");
var ticks = server.GetTicks();
Console.WriteLine($"{ticks.Overruns} ticks took longer than the tick interval, {ticks.Skipped} ticks were skipped, and {ticks.Failures} ticks failed. The players received {views.Players.Sum(static player => player.Heard):N0} shouts.");
Console.WriteLine($"Processor time: {Environment.CpuUsage.TotalTime.TotalSeconds:N1} s for the server, {views.ProcessorTime:N1} s for the players.");
Console.WriteLine($"{upToDate} of {players} players have a current copy of the world: {(upToDate == players ? "no update was lost" : "UPDATES WERE LOST")}.");
Console.WriteLine("Next: docs/game-servers.md, or dotnet run -c Release --project Examples/Worker");
if (server.Failure is { } failure)
    Console.Error.WriteLine(failure);
return upToDate == players && ticks.Failures == 0 ? 0 : 1;

// Prints the figures of each second, and then what the players have seen.
async Task WatchAsync(TimeSpan time)
{
    using var timer = new PeriodicTimer(TimeSpan.FromSeconds(1));
    var last = new Reading(server);
    for (var left = time; left > TimeSpan.Zero; left -= timer.Period)
    {
        await timer.WaitForNextTickAsync();
        var now = new Reading(server);
        Screen.WriteLine(string.Join(", ", Reading.Names.Zip(now.Since(last), static (name, value) => $"{name} {value}")));
        last = now;
    }

    PlayerTable.Print((await crowd.LookAsync()).Players);
}

// Stops the world, and compares the copies until all are current, for at most ten seconds.
async Task<Views> CompareAsync()
{
    await crowd.DoAsync(default(StopPlaying));
    await server.StopAsync();
    for (var attempt = 0; ; attempt++)
    {
        await Task.Delay(50);
        var seen = await crowd.LookAsync();
        upToDate = seen.Players.Count(player => player.Fingerprint == server.GetFingerprint(player.Creature));
        if (upToDate == players || attempt == 200)
            return seen;
    }
}
