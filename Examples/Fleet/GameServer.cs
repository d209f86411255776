using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Fleet;

/// <summary>The process that plays matches. It ends when its standard input ends, and therefore with the process that started it.</summary>
public static class GameServer
{
    private static readonly TimeSpan s_matchTime = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_loadInterval = TimeSpan.FromMilliseconds(100);

    public static async Task RunAsync(string name, int port)
    {
        var (played, unsentLoads) = (0, 0);
        await using var server = await RabbitHost.ConnectAsync(
            new ConnectionFactory { HostName = "127.0.0.1", Port = port },
            host =>
            {
                host.On(async (Match match, Origin from) =>
                {
                    await Task.Delay(s_matchTime);
                    var result = new MatchResult(match.Id, name, match.Id % match.Players, from.IsRepeated);
                    // The match is acknowledged only after the broker has confirmed its result. On Closed, this server stops and another server plays the match.
                    if (await host.PublishAsync("results", result, DeliveryKind.AtLeastOnce) == SendStatus.Sent)
                        Interlocked.Increment(ref played);
                });
                host.OnRequest((StatusQuery _) => new Status(name, Environment.ProcessId, Volatile.Read(ref played)));
            },
            new RabbitOptions { Name = name, Prefetch = 8 });
        await server.AnswerAsync("servers");
        await server.SubscribeAsync("matches", DeliveryKind.AtLeastOnce, group: "servers");
        Console.WriteLine("ready");
        using var timer = new PeriodicTimer(s_loadInterval);
        var input = Task.Run(Console.In.ReadToEnd); // ReadToEndAsync would block this thread too
        while (!input.IsCompleted && await timer.WaitForNextTickAsync())
        {
            if (server.Publish($"load.{name}", new Load(name, Volatile.Read(ref played))) != SendStatus.Sent)
                unsentLoads++; // the next load contains newer values
        }

        if (unsentLoads > 0)
            Console.Error.WriteLine($"{name}: {unsentLoads} loads were not sent.");
    }
}
