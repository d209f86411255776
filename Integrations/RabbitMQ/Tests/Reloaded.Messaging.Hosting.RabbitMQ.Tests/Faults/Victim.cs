using System;
using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>A consumer in a process of its own, which says what it handles and is killed for it.</summary>
internal static class Victim
{
    public const string Verb = "victim";
    public const string Topic = "work";
    public const string Group = "workers";

    /// <summary>The number of the first message that it never finishes. It finishes no later message either.</summary>
    public const int FirstUnfinished = 20;

    public static Process Start(int port, string scope, int partitions = 0)
    {
        var start = new ProcessStartInfo("dotnet", [Assembly.GetExecutingAssembly().Location, Verb, $"{port}", scope, $"{partitions}"]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        return Process.Start(start)!;
    }

    public static SubscriptionOptions OptionsOf(int partitions) => new() { Partitions = partitions };

    public static async Task<int> RunAsync(string port, string scope, string partitions)
    {
        await using var host = await RabbitHost.ConnectAsync(
            Fleet.FactoryOf(int.Parse(port, CultureInfo.InvariantCulture)),
            host => host.On((in Numbered message, Origin from) =>
            {
                Console.WriteLine(message.Number);
                if (message.Number >= FirstUnfinished)
                    new ManualResetEventSlim().Wait();
            }),
            new RabbitOptions { Scope = scope, Name = "victim" });
        await host.SubscribeAsync(Topic, DeliveryKind.AtLeastOnce, Group, OptionsOf(int.Parse(partitions, CultureInfo.InvariantCulture)));
        Console.WriteLine("ready");
        Console.In.ReadToEnd(); // ends with the process that started this one
        return 0;
    }
}
