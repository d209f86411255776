using System;
using System.Globalization;
using System.Linq;
using Examples;
using Examples.Broker;
using Fleet;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

// One command runs a lobby and two game servers in three processes. This process starts a broker and the servers, distributes matches, kills
// one server while it plays, and prints a summary.
if (args is ["server", var name, var at])
{
    await GameServer.RunAsync(name, int.Parse(at, CultureInfo.InvariantCulture));
    return 0;
}

if (args.Length > 0)
{
    Console.Error.WriteLine("Usage: Fleet");
    return 2;
}

if (LocalBroker.Missing is not null)
{
    Console.WriteLine(LocalBroker.Missing);
    return 0;
}

const int Matches = 1000;
var time = TimeSpan.FromMinutes(1);
await using var broker = await LocalBroker.StartAsync();
var lobby = new Lobby(Matches);
await using var host = await RabbitHost.ConnectAsync(
    new ConnectionFactory { HostName = "127.0.0.1", Port = broker.Port },
    lobby.Register,
    new RabbitOptions { Name = "lobby" });
await host.SubscribeAsync("load.*");
await host.SubscribeAsync("results", DeliveryKind.AtLeastOnce, group: "lobby");

using var north = new ServerProcess("north", broker.Port);
using var south = new ServerProcess("south", broker.Port);
await north.StartAsync();
await south.StartAsync();
Console.WriteLine($"Lobby in process {Environment.ProcessId}, servers in processes {north.Id} and {south.Id}, over RabbitMQ at 127.0.0.1:{broker.Port}.");

host.PublicationRefused += static refused => Console.Error.WriteLine($"The broker refused a message to '{refused.Topic}': {refused.Reason}");
for (var id = 1; id <= Matches; id++)
{
    if (await host.PublishAsync("matches", new Match(id, Players: 2 + id % 6), DeliveryKind.AtLeastOnce) != SendStatus.Sent)
        throw new InvalidOperationException("The host of the lobby is disposed, so no match can be published.");
}

await host.FlushAsync().WaitAsync(time); // now the broker has stored all matches
await lobby.Some.WaitAsync(time);
await north.KillAsync();
Console.WriteLine($"After {lobby.Results.Count} results, the server {north.Name} was killed. The server {south.Name} plays its unfinished matches.");
await lobby.All.WaitAsync(time);
var status = await host.RequestAsync<StatusQuery, Status>("servers", default);
Console.WriteLine($"A server replied to the request: process {status.ProcessId} ({status.Server}) has played {status.Played} matches.");
await south.StopAsync();

Console.WriteLine();
var table = new Table("server", "results", "results of repeated matches", "loads received");
foreach (var server in (ServerProcess[])[north, south])
{
    var results = lobby.Results.Values.Where(result => result.Server == server.Name).ToList();
    table.Add(server.Name, $"{results.Count:N0}", $"{results.Count(static result => result.WasRepeated):N0}", $"{lobby.LoadsHeard(server.Name):N0}");
}

table.Print(null);
var counts = host.GetStatistics();
var isWhole = lobby.Results.Count == Matches && counts.Unconfirmed == 0;
Console.WriteLine($"{Matches:N0} matches were published with delivery at least once, and {lobby.Results.Count:N0} have a result: {(isWhole ? "no match was lost" : "MATCHES WERE LOST")}. {lobby.PlayedAgain} matches were played twice.");
Console.WriteLine($"Loads are sent at most once. {counts.Missed} loads were missed.");
return isWhole ? 0 : 1;
