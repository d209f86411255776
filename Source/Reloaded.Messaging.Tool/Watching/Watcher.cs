using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Inspects a host at an interval.</summary>
internal sealed class Watcher(MessageClient client, TimeSpan timeout, TimeSpan interval)
{
    /// <summary>Calls back after each interval.</summary>
    /// <param name="count">The number of intervals.</param>
    /// <param name="show">Shows two inspections, one interval apart.</param>
    /// <param name="note">Shows that the host did not reply.</param>
    /// <param name="cancellationToken">Ends the loop.</param>
    /// <exception cref="ToolException">Thrown when the host does not allow inspections, or when the connection ended.</exception>
    public async Task RunAsync(int count, Action<WatchedRates> show, Action<string> note, CancellationToken cancellationToken)
    {
        HostInspection? before = null;
        for (var shown = 0; shown < count;)
        {
            if (await InspectAsync(cancellationToken) is not { } now)
            {
                shown++;
                note($"No reply within {timeout.TotalSeconds} s. A pumped host replies inside Pump.");
                continue;
            }

            if (before is not null && now.CountedFor > before.CountedFor)
            {
                shown++;
                show(new WatchedRates(before, now));
            }

            before = now;
            if (shown < count)
                await Task.Delay(interval, cancellationToken);
        }
    }

    /// <returns>The state; <c>null</c> if the host did not reply in time.</returns>
    private async Task<HostInspection?> InspectAsync(CancellationToken cancellationToken)
    {
        var result = await client.Server.InspectAsync(timeout, cancellationToken);
        return result.Status switch
        {
            RequestStatus.Replied => result.GetReply(),
            RequestStatus.TimedOut => null,
            RequestStatus.Canceled => throw new OperationCanceledException(cancellationToken),
            RequestStatus.Faulted when result.Fault!.Code == FaultCode.NoHandler => throw new ToolException(
                ExitCode.Fault,
                $"{client.Server.RemoteName} does not allow inspections. Call AllowInspection() in the callback of MessageHost.ListenAsync."),
            RequestStatus.Faulted => throw new ToolException(ExitCode.Fault, $"{client.Server.RemoteName} replied with a fault: {result.Fault!.Message}"),
            _ => throw new ToolException(ExitCode.NoConnection, $"The connection to {client.Server.RemoteName} ended: {client.Server.Disconnected?.ToString() ?? result.Status.ToString()}."),
        };
    }
}
