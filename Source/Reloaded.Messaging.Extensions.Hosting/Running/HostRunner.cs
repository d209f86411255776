using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Starts a host with the program, stops it with the program, and reports its health. Packages that add hosts of another kind derive from it.</summary>
/// <typeparam name="THost">The type of the host.</typeparam>
public abstract class HostRunner<THost> : IHostedService, IMessageHostHealth
    where THost : class, IAsyncDisposable
{
    /// <param name="name">The name of the host.</param>
    /// <param name="loggers">Creates the logger; <see langword="null"/> to log nothing.</param>
    protected HostRunner(string name, ILoggerFactory? loggers)
    {
        Accessor = new MessageHostAccessor<THost>(name);
        Logger = (loggers ?? NullLoggerFactory.Instance).CreateLogger($"{typeof(THost).FullName}.{name}");
    }

    /// <inheritdoc/>
    public string Name => Accessor.Name;

    /// <summary>Gives services access to the host.</summary>
    public MessageHostAccessor<THost> Accessor { get; }

    /// <summary>The logger of the host. The category is the name of its class and its name.</summary>
    protected ILogger Logger { get; }

    /// <summary>Starts the host, and calls <see cref="Provide"/> or <see cref="Fail"/>.</summary>
    public abstract Task StartAsync(CancellationToken cancellationToken);

    /// <summary>Stops the host as its options say.</summary>
    /// <exception cref="OperationCanceledException">Thrown when the token is canceled, because <c>HostOptions.ShutdownTimeout</c> has passed.</exception>
    public virtual async Task StopAsync(CancellationToken cancellationToken)
    {
        if (Accessor.Current is not { } host)
            return;
        await StopHostAsync(host, cancellationToken).WaitAsync(cancellationToken).ConfigureAwait(false);
        Log.Stopped(Logger, Name);
    }

    HealthCheckResult IMessageHostHealth.GetHealth()
    {
        if (Accessor.Current is { } host)
            return Describe(host);
        return Accessor.Failure is { } failure ? HealthCheckResult.Unhealthy($"It could not be started. {failure.Message}") : DescribeStart();
    }

    /// <summary>Waits for the handlers of the host, and disposes it. The default only disposes it.</summary>
    /// <param name="host">The host.</param>
    /// <param name="cancellationToken">Canceled when the program no longer waits.</param>
    private protected virtual Task StopHostAsync(THost host, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(host);
        return host.DisposeAsync().AsTask();
    }

    /// <summary>Returns the health before there is a host.</summary>
    protected abstract HealthCheckResult DescribeStart();

    /// <summary>Returns the health of the host, with a sentence as the description.</summary>
    protected abstract HealthCheckResult Describe(THost host);

    /// <summary>Gives the host to the services that wait for it. Called once.</summary>
    protected void Provide(THost host) => Accessor.Set(host);

    /// <summary>Tells the services that wait for the host that there will be none. Called at most once, instead of <see cref="Provide"/>.</summary>
    protected void Fail(Exception exception) => Accessor.Fail(exception);
}
