using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Starts a host with the program, stops it with the program, and reports its health.</summary>
/// <param name="accessor">Receives the host.</param>
/// <param name="settings">The settings of all hosts.</param>
/// <param name="loggers">Creates the logger.</param>
/// <param name="configure">Registers the handlers.</param>
internal abstract class HostRunner<THost>(MessageHostAccessor<THost> accessor, IOptionsMonitor<MessageHostSettings> settings, ILoggerFactory loggers, Action<THost> configure) : IHostedService, IMessageHostHealth
    where THost : MessageHost
{
    public string Name => accessor.Name;

    protected MessageHostAccessor<THost> Accessor => accessor;

    protected ILogger Logger { get; } = loggers.CreateLogger($"{typeof(THost).FullName}.{accessor.Name}");

    /// <summary>The checked settings.</summary>
    protected MessageHostSettings Settings => settings.Get(Name);

    public abstract Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Disposes the host, which writes queued messages for up to <see cref="MessageHostOptions.FlushTimeout"/>.</summary>
    public virtual async Task StopAsync(CancellationToken cancellationToken)
    {
        if (accessor.Current is not { } host)
            return;
        await host.DisposeAsync().AsTask().WaitAsync(cancellationToken).ConfigureAwait(false);
        Log.Stopped(Logger, Name);
    }

    public HealthCheckResult GetHealth()
    {
        if (accessor.Current is not { } host)
            return accessor.Failure is { } failure ? HealthCheckResult.Unhealthy($"It could not be started. {failure.Message}") : DescribeStart();
        var (status, description) = Describe(host);
        if (status == HealthStatus.Healthy && host.IsPumpStalled)
            (status, description) = (HealthStatus.Degraded, "Messages wait, and Pump is not called.");
        return new HealthCheckResult(status, description, null, new Dictionary<string, object> { ["state"] = description, ["peers"] = host.Peers.Count });
    }

    /// <summary>Returns the health before there is a host.</summary>
    protected abstract HealthCheckResult DescribeStart();

    /// <summary>Returns the state of the host, as a sentence.</summary>
    protected abstract (HealthStatus Status, string Description) Describe(THost host);

    /// <summary>Prepares a host before the first message arrives. The log is first, so that it contains the events of the first handshake.</summary>
    protected void Configure(THost host)
    {
        host.LogTo(Logger, Name);
        configure(host);
    }
}
