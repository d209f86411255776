using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Runs a client. With <see cref="MessageHostOptions.Reconnect"/>, the program starts while the client connects in the background. Otherwise, a client that cannot connect prevents the start.</summary>
internal sealed class ClientRunner(string name, IOptionsMonitor<MessageHostSettings> settings, ILoggerFactory? loggers, Action<MessageClient> configure)
    : MessageHostRunner<MessageClient>(name, settings, loggers, configure), IDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private Task _connecting = Task.CompletedTask;

    public override async Task StartAsync(CancellationToken cancellationToken)
    {
        _connecting = Detached.Run(() => ConnectAsync(_stopping.Token));
        if (Settings.Options.Reconnect is null)
            await _connecting.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        await _stopping.CancelAsync().ConfigureAwait(false);
        await _connecting.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the failure was logged
        await base.StopAsync(cancellationToken).ConfigureAwait(false);
    }

    public void Dispose() => _stopping.Dispose();

    protected override HealthCheckResult DescribeStart() => HealthCheckResult.Degraded("It connects for the first time.");

    protected override (HealthStatus Status, string Description) DescribeState(MessageClient host) => host.State switch
    {
        ClientState.Connected => (HealthStatus.Healthy, $"It is connected to {host.Server.RemoteName}."),
        ClientState.Connecting => (HealthStatus.Degraded, $"It reconnects. The connection ended: {host.Server.Disconnected}."),
        _ => (HealthStatus.Unhealthy, $"It is disconnected and makes no further attempt. The connection ended: {host.Server.Disconnected}."),
    };

    private async Task ConnectAsync(CancellationToken stopping)
    {
        try
        {
            var client = await MessageHost.ConnectAsync(Settings.Endpoint!, Configure, LogAttempts(Settings.Options), stopping).ConfigureAwait(false);
            Provide(client);
            client.PeerDisconnected += (_, _) => _ = LogEndAsync(client);
            _ = LogEndAsync(client); // the connection may have ended before
        }
        catch (Exception e)
        {
            Fail(e);
            if (!stopping.IsCancellationRequested)
                Log.GaveUp(Logger, e, Name, Settings.Endpoint!);
            throw;
        }
    }

    /// <summary>Logs that the client makes no further attempt, unless it is connected or connects again.</summary>
    private async Task LogEndAsync(MessageClient client)
    {
        try
        {
            await client.WaitForConnectionAsync(_stopping.Token).ConfigureAwait(false);
        }
        catch (TransportClosedException e) when (!_stopping.IsCancellationRequested)
        {
            Log.GaveUp(Logger, e, Name, Settings.Endpoint!);
        }
        catch (Exception e) when (e is TransportClosedException or OperationCanceledException)
        {
            // The program stops, so the end of the connection is expected.
        }
    }

    /// <summary>Logs each attempt after the first, with the reason of the failure before it.</summary>
    private MessageHostOptions LogAttempts(MessageHostOptions options) => options.Reconnect is not { } reconnect ? options : options with
    {
        Reconnect = reconnect with
        {
            NextEndpoint = async attempt =>
            {
                var endpoint = reconnect.NextEndpoint is null ? attempt.Endpoint : await reconnect.NextEndpoint(attempt).ConfigureAwait(false);
                if (endpoint is not null)
                    Log.Connecting(Logger, Name, attempt.Number, endpoint, attempt.Failure.Message);
                return endpoint;
            },
        },
    };
}
