using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Runs a server or a client.</summary>
/// <param name="name">The name of the host.</param>
/// <param name="settings">The settings of all hosts.</param>
/// <param name="loggers">Creates the logger.</param>
/// <param name="configure">Registers the handlers.</param>
internal abstract class MessageHostRunner<THost>(string name, IOptionsMonitor<MessageHostSettings> settings, ILoggerFactory? loggers, Action<THost> configure) : HostRunner<THost>(name, loggers)
    where THost : MessageHost
{
    /// <summary>The checked settings.</summary>
    protected MessageHostSettings Settings => settings.Get(Name);

    private protected override Task StopHostAsync(THost host, CancellationToken cancellationToken) => host.StopAsync(cancellationToken);

    protected sealed override HealthCheckResult Describe(THost host)
    {
        var (status, description) = DescribeState(host);
        if (status == HealthStatus.Healthy && host.IsPumpStalled)
            (status, description) = (HealthStatus.Degraded, "Messages wait, and Pump is not called.");
        return new HealthCheckResult(status, description, null, new Dictionary<string, object> { ["state"] = description, ["peers"] = host.Peers.Count });
    }

    /// <summary>Returns the state of the host, as a sentence.</summary>
    protected abstract (HealthStatus Status, string Description) DescribeState(THost host);

    /// <summary>Prepares a host before the first message arrives. The log is first, so that it contains the events of the first handshake.</summary>
    protected void Configure(THost host)
    {
        host.LogTo(Logger, Name);
        configure(host);
    }
}
