using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Runs a server. It listens before later hosted services start.</summary>
internal sealed class ServerRunner(string name, IOptionsMonitor<MessageHostSettings> settings, ILoggerFactory? loggers, Action<MessageServer> configure)
    : MessageHostRunner<MessageServer>(name, settings, loggers, configure)
{
    public override async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            var server = await MessageHost.ListenAsync(Settings.Endpoint!, Configure, Settings.Options).ConfigureAwait(false);
            Provide(server);
            Log.Listening(Logger, Name, server.Endpoint);
        }
        catch (Exception e)
        {
            Fail(e);
            throw;
        }
    }

    protected override HealthCheckResult DescribeStart() => HealthCheckResult.Unhealthy("It does not listen yet.");

    protected override (HealthStatus Status, string Description) DescribeState(MessageServer host) => host.IsListening
        ? (HealthStatus.Healthy, $"It listens at {host.Endpoint}.")
        : (HealthStatus.Unhealthy, $"It no longer listens at {host.Endpoint}.");
}
