using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Examples;
using Examples.Broker;
using Fleet;
using Reloaded.Messaging.Hosting.RabbitMQ;

// One command runs a lobby, two game servers and a statistics worker in four processes. This process starts a broker and the others, kills one of
// each kind amid the matches, and prints a summary.
if (args is [var role, .., var at])
{
    var port = int.Parse(at, CultureInfo.InvariantCulture);
    MatchTrace.Print(role == "server" ? args[1] : role);
    await (role switch
    {
        "lobby" => Roles.RunLobbyAsync(port),
        "server" => Roles.RunServerAsync(args[1], port),
        _ => Roles.RunStatisticsAsync(args[1], port),
    });
    return 0;
}

if (args.Length > 0)
{
    Console.Error.WriteLine("Usage: Fleet");
    return 2;
}

if (LocalBroker.Missing is not null)
{
    Console.Error.WriteLine(LocalBroker.Missing);
    return 1;
}

var starting = LocalBroker.StartAsync();
await Screen.WaitAsync(starting, static () => "A broker starts, which takes several seconds.");
await using var broker = await starting;
var folder = Directory.CreateTempSubdirectory("fleet");
try
{
    var (watch, spans) = (new Watch(), new ConcurrentQueue<Span>());
    await using var host = await RabbitHost.ConnectAsync(Roles.FactoryOf(broker.Port), watch.Register, new RabbitOptions { Name = "watch" });
    await host.DeclareGroupAsync("matches", "servers", new SubscriptionOptions { Prefetch = 16 });
    await host.DeclareGroupAsync("results", "statistics");
    await host.SubscribeAsync("results", Roles.Kept, "watch");
    await host.SubscribeAsync("stored");

    var worker = await FleetProcess.StartAsync(spans, "statistics", Path.Combine(folder.FullName, "fleet.db"), $"{broker.Port}");
    var north = await FleetProcess.StartAsync(spans, "server", "north", $"{broker.Port}");
    var south = await FleetProcess.StartAsync(spans, "server", "south", $"{broker.Port}");
    var lobby = await FleetProcess.StartAsync(spans, "lobby", $"{broker.Port}");
    Console.WriteLine($"Lobby in process {lobby.Id}, servers in {north.Id} and {south.Id}, statistics in {worker.Id}, over RabbitMQ at 127.0.0.1:{broker.Port}.");
    var table = new Table("killed process", "took over", "until its first message");

    await watch.CountAsync(Roles.Matches / 10);
    await lobby.KillAsync();
    var killed = lobby;
    var next = watch.SeeAsync((result, _) => result is not null && result.LobbyProcess != killed.Id);
    lobby = await killed.StartAgainAsync();
    Add("lobby", killed, lobby, await next);

    await watch.CountAsync(Roles.Matches / 3);
    var killing = north.KillAsync();
    next = watch.SeeAsync(static (result, _) => result is { Server: "south", WasRepeated: true }); // it may arrive before the process has ended
    await killing;
    Add("server north", north, south, await next);

    await watch.CountAsync(Roles.Matches / 2);
    await worker.KillAsync();
    killed = worker;
    next = watch.SeeAsync((_, stored) => stored is { } one && one.WorkerProcess != killed.Id);
    worker = await killed.StartAgainAsync();
    Add("statistics", killed, worker, await next);

    await watch.CountAsync(Roles.Matches);
    Standings standings;
    var end = DateTime.UtcNow + TimeSpan.FromMinutes(1);
    do
    {
        await Task.Delay(100);
        standings = await host.RequestAsync<StandingsQuery, Standings>("statistics", default);
    }
    while (standings.Matches < Roles.Matches && DateTime.UtcNow < end);

    foreach (var process in (FleetProcess[])[lobby, south, worker])
        await process.StopAsync();
    Console.WriteLine();
    table.Print(null);
    foreach (var (server, (all, repeated)) in watch.Servers.OrderBy(static server => server.Key))
        Console.WriteLine($"The server {server} played {all:N0} matches, {repeated:N0} of them repeated.");
    var lost = Roles.Matches - standings.Matches;
    Console.WriteLine($"{Roles.Matches:N0} matches were published, and {standings.Matches:N0} have a result in the database: {lost} lost. {standings.Skipped} results arrived again and were skipped.");
    Console.WriteLine();
    Console.WriteLine($"The trace of match {Roles.Matches} (start, duration, span and process):");
    MatchTrace.Write(spans.Where(span => span.Trace == spans.Last().Trace).ToList());
    Console.WriteLine();
    Console.WriteLine("Next: Integrations/RabbitMQ/docs/rabbitmq.md, or dotnet run -c Release --project Examples/Worker");
    return lost == 0 && spans.Select(static span => span.Process).Distinct().Count() == 3 ? 0 : 1;

    void Add(string name, FleetProcess before, FleetProcess after, TimeSpan time) => table.Add($"{name} ({before.Id})", $"{after.Id}", $"{time.TotalSeconds:F2} s");
}
finally
{
    folder.Delete(recursive: true);
}
