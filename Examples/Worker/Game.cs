using Microsoft.Extensions.Diagnostics.HealthChecks;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;

namespace Worker;

/// <summary>Joins three players, then one without a name, prints the health of both hosts, and stops the program.</summary>
public sealed class Game(MessageHostAccessor<MessageClient> lobby, HealthCheckService health, IHostApplicationLifetime program, ILogger<Game> log) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        var client = await lobby.WaitAsync(stoppingToken);
        foreach (var player in (string[])["Ada", "Grace", "Barbara", ""])
        {
            var result = await client.TryRequestAsync(new Join(player), cancellationToken: stoppingToken);
            log.LogInformation("'{Player}': {Outcome}", player, result.Status == RequestStatus.Replied ? $"seat {result.Reply!.Seat}" : result.Fault?.Message);
        }

        var report = await health.CheckHealthAsync(stoppingToken);
        log.LogInformation("Health: {Status}. {Data}", report.Status, string.Join(", ", report.Entries.Values.SelectMany(static entry => entry.Data).Select(static one => $"{one.Key} = {one.Value}")));
        log.LogInformation("Next: docs/worker-services.md, or dotnet run -c Release --project Clients/Dashboard");
        program.StopApplication();
    }
}
