using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Udp.Flood;

/// <summary>What players saw.</summary>
/// <param name="Requests">The number of requests of connected players.</param>
/// <param name="Replies">The number of replies that arrived within a second.</param>
/// <param name="Connects">The milliseconds in which each new player connected, sorted. <see cref="FloodPlayers.Longest"/> if a player did not connect until then.</param>
public sealed record FloodView(int Requests, int Replies, double[] Connects);

/// <summary>The honest players of <see cref="FloodRun"/>, in their own process: 100 that are connected and send ten requests a second, and five new ones a second. Each has its own address.</summary>
public static class FloodPlayers
{
    public const string Verb = "flood-players";
    public const int Longest = 5000;

    private const int Connected = 100;
    private const int FirstAddress = 20_000; // beyond those of the flood

    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private static int s_addresses = FirstAddress;

    /// <summary>Prints a line when the players are connected. After the next line of the standard input, counts for the given time, and prints a <see cref="FloodView"/>.</summary>
    public static async Task RunAsync(string[] arguments)
    {
        var port = int.Parse(arguments[0], CultureInfo.InvariantCulture);
        var options = new MessageHostOptions { Token = Convert.FromHexString(arguments[1]), Protection = ProtectionOptions.WithServerKey(arguments[2]) };
        var clients = new List<MessageClient>();
        for (var i = 0; i < Connected; i++)
            clients.Add(await ConnectAsync(port, options, default));
        await Task.WhenAll(clients.Select(static client => CountAsync(client, s_second))); // so that all code is compiled
        Console.WriteLine();
        var duration = TimeSpan.FromSeconds(int.Parse((await Task.Run(Console.In.ReadLine))!, CultureInfo.InvariantCulture));
        var connecting = JoinAsync(port, options, duration);
        var counts = await Task.WhenAll(clients.Select(client => CountAsync(client, duration)));
        Console.WriteLine(JsonSerializer.Serialize(new FloodView(counts.Sum(static count => count.Requests), counts.Sum(static count => count.Replies), await connecting)));
        await Task.WhenAll(clients.Select(static client => client.DisposeAsync().AsTask()));
    }

    private static Task<MessageClient> ConnectAsync(int port, MessageHostOptions options, CancellationToken cancellationToken) =>
        MessageHost.ConnectAsync(MessageEndpoint.Udp(LocalNetwork.AddressOf(Interlocked.Increment(ref s_addresses)), port), null, options, cancellationToken);

    private static async Task<(int Requests, int Replies)> CountAsync(MessageClient client, TimeSpan duration)
    {
        await Task.Delay(Random.Shared.Next(100)); // the players do not send at once
        var (watch, requests) = (Stopwatch.StartNew(), new List<Task<RequestResult<EchoMessage>>>());
        while (watch.Elapsed < duration)
        {
            requests.Add(client.TryRequestAsync<EchoMessage, EchoMessage>(default, s_second).AsTask());
            await Task.Delay(100);
        }

        var results = await Task.WhenAll(requests);
        return (results.Length, results.Count(static result => result.Status == RequestStatus.Replied));
    }

    private static async Task<double[]> JoinAsync(int port, MessageHostOptions options, TimeSpan duration)
    {
        var (watch, joins) = (Stopwatch.StartNew(), new List<Task<double>>());
        while (watch.Elapsed < duration)
        {
            joins.Add(JoinAsync(port, options));
            await Task.Delay(200);
        }

        return [.. (await Task.WhenAll(joins)).Order()];
    }

    private static async Task<double> JoinAsync(int port, MessageHostOptions options)
    {
        using var longest = new CancellationTokenSource(Longest);
        var watch = Stopwatch.StartNew();
        try
        {
            await using var client = await ConnectAsync(port, options, longest.Token);
            return watch.Elapsed.TotalMilliseconds;
        }
        catch (Exception e) when (e is TransportClosedException or HandshakeException or OperationCanceledException)
        {
            return Longest; // the table shows that the player did not connect
        }
    }
}
