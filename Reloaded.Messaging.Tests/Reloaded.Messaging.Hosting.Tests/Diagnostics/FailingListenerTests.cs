using System.Diagnostics;
using System.Diagnostics.Metrics;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>Listeners that throw. They hear the spans and durations of the whole process, so nothing else may run.</summary>
[Quiet]
public sealed class FailingListenerTests
{
    [Theory]
    [InlineData(nameof(ActivityListener.Sample))]
    [InlineData(nameof(ActivityListener.ActivityStarted))]
    [InlineData(nameof(ActivityListener.ActivityStopped))]
    [InlineData(nameof(MeterListener))]
    public async Task Listener_that_throws_is_counted_and_reported_and_messages_continue(string callback)
    {
        var reported = Signal.New<HandlerFailure>();
        var received = Signal.New<int>();
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"listener-{callback}"), server =>
        {
            server.OnRequest((Ping ping) => new Pong(ping.Number));
            server.On((in Note note, Peer _) => received.TrySetResult(note.Text.Length));
        }, client => client.HandlerFailed += failure => reported.TrySetResult(failure));
        var outer = Activity.Current;

        using (Listen(callback))
        {
            Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
            Assert.Equal(SendStatus.Sent, hosts.Client.Send(new Note("four")));
            Assert.Equal(1, hosts.Server.Broadcast(new Note("all")));
            Assert.Equal(4, await received.Task.InTime());
        }

        var failure = await reported.Task.InTime();
        Assert.Equal((callback, hosts.Client.Server), (failure.Exception.Message, failure.Peer));
        Assert.True(hosts.Client.GetStatistics().HandlerFailures > 0);
        Assert.True(hosts.Server.GetStatistics().HandlerFailures > 0);
        Assert.Same(outer, Activity.Current);
    }

    private static IDisposable Listen(string callback)
    {
        if (callback == nameof(MeterListener))
        {
            var meters = new MeterListener
            {
                InstrumentPublished = static (instrument, listener) =>
                {
                    if (instrument.Name is "rpc.client.call.duration" or "rpc.server.call.duration")
                        listener.EnableMeasurementEvents(instrument);
                },
            };
            meters.SetMeasurementEventCallback<double>((_, _, _, _) => throw new InvalidOperationException(callback));
            meters.Start();
            return meters;
        }

        var spans = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == MessagingTracing.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => Throw(nameof(ActivityListener.Sample)) ? default : ActivitySamplingResult.AllDataAndRecorded,
            ActivityStarted = _ => Throw(nameof(ActivityListener.ActivityStarted)),
            ActivityStopped = _ => Throw(nameof(ActivityListener.ActivityStopped)),
        };
        ActivitySource.AddActivityListener(spans);
        return spans;

        bool Throw(string called) => called == callback ? throw new InvalidOperationException(callback) : false;
    }
}
