using System;
using System.Diagnostics;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Fleet;

/// <summary>The processes of the fleet. Each ends when its standard input ends, and therefore with the process that started it.</summary>
public static class Roles
{
    /// <summary>The number of matches. The trace of the last one is printed.</summary>
    public const int Matches = 1000;

    public const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private static readonly TimeSpan s_matchTime = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(2);

    public static ConnectionFactory FactoryOf(int port) => new() { HostName = "127.0.0.1", Port = port };

    /// <summary>Publishes all matches. A lobby that replaces a killed one cannot know which matches the broker has, so it publishes all of them again, with the same ids.</summary>
    public static async Task RunLobbyAsync(int port)
    {
        await using var lobby = await RabbitHost.ConnectAsync(FactoryOf(port), options: new RabbitOptions { Name = "lobby" });
        var input = Start();
        for (var id = 1; id <= Matches && !input.IsCompleted; id++)
        {
            using var trace = id == Matches ? MatchTrace.Start() : null;
            var match = new Match(id, Players: 2 + id % 6, Environment.ProcessId);
            if (await lobby.PublishAsync("matches", match, new PublishOptions { MessageId = $"match {id}" }) != SendStatus.Sent)
                throw new InvalidOperationException("The host of the lobby is disposed, so no match can be published.");
            await Task.Delay(s_pause);
        }

        await lobby.FlushAsync(); // now the broker has stored all matches
        await input;
    }

    /// <summary>Plays matches. A match is acknowledged only after the broker has confirmed its result.</summary>
    public static async Task RunServerAsync(string name, int port)
    {
        await using var server = await RabbitHost.ConnectAsync(
            FactoryOf(port),
            host => host.On(async (Match match, Origin from) =>
            {
                await Task.Delay(s_matchTime);
                var result = new MatchResult(match.Id, name, match.Id % match.Players, from.IsRepeated, match.LobbyProcess);
                if (await host.PublishAsync("results", result, new PublishOptions { MessageId = $"result of match {match.Id}" }) == SendStatus.Closed)
                    Console.Error.WriteLine($"{name} stops. Another server plays match {match.Id}.");
            }),
            new RabbitOptions { Name = name });
        await server.SubscribeAsync("matches", Kept, "servers", new SubscriptionOptions { Prefetch = 16, ConcurrentMessageLimit = 8 });
        await Start();
    }

    /// <summary>Stores each result once, in a database that survives the process.</summary>
    public static async Task RunStatisticsAsync(string file, int port)
    {
        using var statistics = new Statistics(file);
        await using var worker = await RabbitHost.ConnectAsync(
            FactoryOf(port),
            host =>
            {
                host.On((in MatchResult result, Origin _) => statistics.Add(result));
                host.OnRequest((StandingsQuery _, Origin _) => statistics.ReadAsync());
            },
            new RabbitOptions { Name = "statistics" });
        await worker.SubscribeAsync("results", Kept, "statistics", new SubscriptionOptions
        {
            ConcurrentMessageLimit = 1, // one transaction at a time
            Filter = async (from, handle, _) =>
            {
                if (await statistics.HandleOnceAsync(from.MessageId!, handle) is { } id && worker.Publish("stored", new Stored(id, Environment.ProcessId)) != SendStatus.Sent)
                    Console.Error.WriteLine($"It was not reported that match {id} was stored.");
            },
        });
        await worker.AnswerAsync("statistics");
        await Start();
    }

    /// <summary>Tells the process that started this one that it is ready.</summary>
    /// <returns>A task that completes when the standard input ends.</returns>
    private static Task<string> Start()
    {
        Console.WriteLine("ready");
        return Task.Run(Console.In.ReadToEnd); // ReadToEndAsync would block this thread too
    }
}
