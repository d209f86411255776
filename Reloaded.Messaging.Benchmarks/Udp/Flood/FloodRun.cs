using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using Examples;
using Reloaded.Messaging.Benchmarks.Links;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Udp.Flood;

/// <summary><c>flood [SECONDS [ADDRESSES]]</c>: what players see while many addresses send first messages to the UDP port of their server. Server, players and flood are three processes on real sockets.</summary>
public static class FloodRun
{
    public const string Verb = "flood";

    private const int MaxAddresses = 10_000;

    public static async Task<int> RunAsync(string[] args)
    {
        var (seconds, addresses) = (10, 1000);
        if (args.Length > 2 || (args.Length > 0 && !TryParse(args[0], 1000, out seconds)) || (args.Length > 1 && !TryParse(args[1], MaxAddresses, out addresses)))
        {
            Console.Error.WriteLine($"Usage: {Verb} [SECONDS [ADDRESSES]] (1 to 1000 seconds and 1 to {MaxAddresses} addresses; 10 and 1000 by default)");
            return 2;
        }

        if (EmulatedLink.Missing is { } missing)
        {
            Console.Error.WriteLine(missing);
            return 2;
        }

        Console.WriteLine($"{addresses} addresses send first messages as fast as one thread can, for {seconds} s, on {Environment.ProcessorCount} cores, which server, players and flood share.");
        using var network = new LocalNetwork();
        var table = new Table("flood", "hellos/s", "offers/s", "replies kept %", "new players", "joined in 1 s %", "median ms", "longest ms", "server cores");
        foreach (var kind in Enum.GetValues<FloodKind>())
            await MeasureAsync(network, kind, seconds, addresses, table);
        table.Print($"Replies count if they arrive within a second. A player that did not join has {FloodPlayers.Longest} ms.");
        return 0;
    }

    private static async Task MeasureAsync(LocalNetwork network, FloodKind kind, int seconds, int addresses, Table table)
    {
        using var server = OtherProcess.StartIn(network.Name, FloodServer.Verb);
        if ((await server.ReadAsync()).Split(' ') is not [var port, var token, var key])
            throw new InvalidOperationException("The server did not print its port, token and key.");
        using var players = OtherProcess.StartIn(network.Name, FloodPlayers.Verb, port, token, key);
        await players.ReadAsync();
        using var sender = kind == FloodKind.None ? null : OtherProcess.StartIn(network.Name, FloodSender.Verb, $"{kind}", port, token, key, Text(addresses));
        var watch = Stopwatch.StartNew();
        await Task.Delay(1000); // the flood starts
        var before = server.ProcessorTime;
        var view = JsonSerializer.Deserialize<FloodView>(await players.AskAsync(Text(seconds)))!;
        var cores = (server.ProcessorTime - before) / TimeSpan.FromSeconds(seconds);
        var sent = sender is null ? [0L, 0L] : Array.ConvertAll((await sender.AskAsync("")).Split(' '), static number => long.Parse(number, CultureInfo.InvariantCulture));
        var elapsed = watch.Elapsed.TotalSeconds;
        Console.WriteLine($"{kind}: {await server.AskAsync("")}.");
        var connects = view.Connects;
        table.Add(
            $"{kind}",
            $"{sent[0] / elapsed:N0}",
            $"{sent[1] / elapsed:N0}",
            $"{100.0 * view.Replies / view.Requests:N2}",
            $"{connects.Length}",
            $"{100.0 * connects.Count(static time => time <= 1000) / connects.Length:N1}",
            $"{connects[connects.Length / 2]:N0}",
            $"{connects[^1]:N0}",
            $"{cores:N2}");
    }

    private static bool TryParse(string text, int most, out int value) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value > 0 && value <= most;

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
