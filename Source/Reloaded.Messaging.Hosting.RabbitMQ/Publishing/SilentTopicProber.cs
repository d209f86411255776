using System;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Publishes the first message of each silent topic again until the broker replies, in rounds. Each message of a round has a channel of its own.</summary>
/// <remarks>
/// A round has one connection, which ends with it: a broker does not close a channel that waits for a queue without a majority, and the number of such a channel cannot be
/// used again. The broker may store one copy of the message for each round when the majority returns.
/// </remarks>
internal sealed class SilentTopicProber(PublishQueues queues, BrokerConnection link)
{
    private static readonly TimeSpan s_minPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_maxPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_minRound = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_maxRound = TimeSpan.FromSeconds(8);

    private readonly PublishQueue _queue = queues.AtLeastOnce;

    /// <summary>Runs until the connection is lost.</summary>
    public async Task RunAsync()
    {
        var (pause, round) = (s_minPause, s_minRound);
        var arrival = _queue.WaitForSilenceAsync().AsTask();
        while (!link.IsLost)
        {
            if (_queue.HasSilentTopics)
            {
                await TryRunRoundAsync(round, arrival).ConfigureAwait(false);
                _queue.ReportNotices(queues.Reports);
                await Task.WhenAny(arrival, Task.Delay(pause, link.Ended)).ConfigureAwait(false);
                (pause, round) = (Longer(pause, s_maxPause), Longer(round, s_maxRound));
            }
            else
            {
                await arrival.ConfigureAwait(false);
            }

            if (!arrival.IsCompleted)
                continue;
            (pause, round) = (s_minPause, s_minRound); // another topic may only have waited behind a silent one
            arrival = _queue.WaitForSilenceAsync().AsTask();
        }
    }

    private static TimeSpan Longer(TimeSpan time, TimeSpan longest) => time * 2 < longest ? time * 2 : longest;

    private async Task TryRunRoundAsync(TimeSpan time, Task arrival)
    {
        var probes = _queue.TakeProbes();
        if (probes.Length == 0)
            return;
        try
        {
            var connection = await link.AddAsync("probes", link.Ended).ConfigureAwait(false);
            try
            {
                await RunRoundAsync(connection.Connection, probes, time, arrival).ConfigureAwait(false);
            }
            finally
            {
                link.Drop(connection);
            }
        }
        catch (Exception e)
        {
            link.Lose(e.Message); // nothing is published without a further connection
        }
    }

    /// <summary>Runs a round until each message has a reply or the time is over, or until another topic is silent, which waits for at most one second.</summary>
    private async Task RunRoundAsync(IConnection connection, Probe[] probes, TimeSpan time, Task arrival)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(link.Ended);
        var running = Task.WhenAll(Array.ConvertAll(probes, probe => ProbeAsync(connection, probe, ended.Token)));
        await Task.WhenAny(running, Task.Delay(s_minRound, ended.Token)).ConfigureAwait(false);
        await Task.WhenAny(running, arrival, Task.Delay(time - s_minRound, ended.Token)).ConfigureAwait(false);
        await ended.CancelAsync().ConfigureAwait(false);
        await running.ConfigureAwait(false);
    }

    private async Task ProbeAsync(IConnection connection, Probe probe, CancellationToken ended)
    {
        var replied = new TaskCompletionSource<ProbeResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        var result = ProbeResult.None;
        try
        {
            var channel = await connection.CreateChannelAsync(new CreateChannelOptions(true, publisherConfirmationTrackingEnabled: false), ended).ConfigureAwait(false);
            channel.BasicAcksAsync += (_, _) => Reply(ProbeResult.Taken);
            channel.BasicNacksAsync += (_, _) => Reply(ProbeResult.Rejected);
            channel.ChannelShutdownAsync += (_, shutdown) => shutdown.IsOfPublication() ? Reply(ProbeResult.Closed) : Task.CompletedTask;
            channel.BasicReturnAsync += (_, returned) =>
            {
                queues.Reports.Count(RabbitCounter.Unrouted);
                queues.Reports.ReportUnrouted(returned.RoutingKey);
                return Task.CompletedTask;
            };
            await new Publisher(queues, link, _queue, channel, DeliveryKind.AtLeastOnce, ended).PublishAsync(probe.Publication).ConfigureAwait(false);
            result = await replied.Task.WaitAsync(ended).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The broker did not reply.
        }
        finally
        {
            if (result != ProbeResult.None || !link.IsLost)
                _queue.EndProbe(probe.Silent, result);
            probe.Clear();
        }

        Task Reply(ProbeResult reply)
        {
            replied.TrySetResult(reply);
            return Task.CompletedTask;
        }
    }
}
