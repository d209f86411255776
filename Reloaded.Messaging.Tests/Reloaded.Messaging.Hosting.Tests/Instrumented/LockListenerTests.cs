using System.Diagnostics;
using System.Diagnostics.Metrics;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Handlers;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;
using static Reloaded.Messaging.Tests.Support.HeldLocks;

namespace Reloaded.Messaging.Tests.Instrumented;

/// <summary>As <see cref="LockTests"/>, for listeners, which hear the whole process, so that no other test may run.</summary>
[Quiet]
public sealed class LockListenerTests
{
    [Fact]
    public Task Listeners_of_metrics_and_spans_run_under_no_lock() => LockScenario.CheckAsync(ListenAsync);

    /// <summary>The callbacks of a listener of metrics, and of a listener of spans, with trace contexts.</summary>
    internal static async Task ListenAsync()
    {
        using var meters = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name != MessagingMetrics.MeterName)
                    return;
                Check("published instrument");
                listener.EnableMeasurementEvents(instrument);
            },
        };
        meters.SetMeasurementEventCallback<long>(static (_, _, _, _) => Check("measured count"));
        meters.SetMeasurementEventCallback<double>(static (_, _, _, _) => Check("measured duration"));
        meters.Start();
        using var spans = new ActivityListener
        {
            ShouldListenTo = static source =>
            {
                if (source.Name != MessagingTracing.SourceName)
                    return false;
                Check("published source");
                return true;
            },
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) =>
            {
                Check("sampled span");
                return ActivitySamplingResult.AllDataAndRecorded;
            },
            ActivityStarted = static _ => Check("started span"),
            ActivityStopped = static _ => Check("stopped span"),
        };
        ActivitySource.AddActivityListener(spans);
        foreach (var endpoint in (MessageEndpoint[])[MessageEndpoint.InProcess("lock-listeners"), MessageEndpoint.Tcp(0)])
        {
            var options = new MessageHostOptions { CarriesTraceContext = true };
            await using var hosts = await HostPair.ConnectAsync(
                endpoint,
                static host =>
                {
                    host.On(static (in Note _, Peer _) => { });
                    host.OnRequest(static async (Ping ping) =>
                    {
                        await Task.Yield();
                        return new Pong(ping.Number);
                    });
                },
                static host => host.On(static (in Note _, Peer _) => Check("received broadcast")),
                options);
            await hosts.Server.Connection();
            hosts.Client.Send(new Note("a"));
            await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1));
            await hosts.Client.TryRequestAsync(new Suspend(1));
            hosts.Server.Broadcast(new Note("a"));
            await UntilCalledAsync("received broadcast");
            meters.RecordObservableInstruments();
        }

        await UntilCalledAsync("published instrument", "published source", "measured count", "measured duration", "sampled span", "started span", "stopped span");
    }
}
