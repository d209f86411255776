using System;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Faults;

/// <summary>A process that publishes a result for each job, and is killed. It stops amid a job, so that jobs are left for the next one.</summary>
internal static class Relay
{
    public const string Verb = "relay";
    public const string Jobs = "jobs";
    public const string Results = "results";
    public const string Group = "relays";
    public const int MostJobs = 400;

    public static RabbitOptions OptionsOf(string scope) => new() { Scope = scope, Name = Verb, MaxTries = 1000 };

    public static async Task<int> RunAsync(string port, string scope)
    {
        RabbitHost host = null!;
        var handled = 0;
        host = await RabbitHost.ConnectAsync(
            Fleet.FactoryOf(int.Parse(port, CultureInfo.InvariantCulture)),
            made => made.On((in Numbered job, Origin _) =>
            {
                host.Publish(Results, job, DeliveryKind.AtLeastOnce);
                Console.WriteLine(job.Number);
                if (++handled == MostJobs)
                    Thread.Sleep(Timeout.Infinite);
            }),
            OptionsOf(scope));
        await host.SubscribeAsync(Jobs, DeliveryKind.AtLeastOnce, Group);
        Console.In.ReadToEnd(); // ends with the process that started this one
        return 0;
    }
}
