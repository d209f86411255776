using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>The event source of the runtime that <c>dotnet-counters</c> reads meters by.</summary>
[Quiet]
public sealed class MetricsEventSourceTests
{
    [Fact]
    public async Task Instruments_of_hosts_are_published_with_values_and_tags()
    {
        var endpoint = MessageEndpoint.InProcess($"counters-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        await using var client = await MessageHost.ConnectAsync(endpoint);
        using var counters = new CounterReader();

        for (var number = 0; number < 10; number++)
            await client.RequestAsync<Ping, Pong>(new Ping(number));

        await Signal.UntilAsync(() => counters.Find("reloaded.messaging.host.peers", $"endpoint={endpoint},role=server") == 1);
        await Signal.UntilAsync(() => counters.Find("reloaded.messaging.host.requests.timed_out", $"endpoint={endpoint},role=client") is not null);
    }

    /// <summary>Collects what <c>dotnet-counters</c> shows, with the arguments that it passes to the event source.</summary>
    private sealed class CounterReader : EventListener
    {
        private const EventKeywords TimeSeriesValues = (EventKeywords)2;

        private readonly ConcurrentDictionary<(string Instrument, string Tags), double> _values = new();

        public double? Find(string instrument, string tags) => _values.TryGetValue((instrument, tags), out var value) ? value : null;

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name != "System.Diagnostics.Metrics")
                return;
            EnableEvents(eventSource, EventLevel.Informational, TimeSeriesValues, new Dictionary<string, string?>
            {
                ["SessionId"] = Guid.NewGuid().ToString(),
                ["ClientId"] = Guid.NewGuid().ToString(),
                ["Metrics"] = MessagingMetrics.MeterName,
                ["RefreshInterval"] = "0.1",
                ["MaxTimeSeries"] = "1000",
                ["MaxHistograms"] = "10",
            });
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventName is not ("CounterRateValuePublished" or "GaugeValuePublished" or "UpDownCounterRateValuePublished"))
                return;
            var (names, values) = (eventData.PayloadNames!, eventData.Payload!);
            string Text(string name) => Convert.ToString(values[names.IndexOf(name)], CultureInfo.InvariantCulture)!;
            var value = names.Contains("value") ? Text("value") : Text("lastValue");
            if (double.TryParse(value, CultureInfo.InvariantCulture, out var number))
                _values[(Text("instrumentName"), Text("tags"))] = number;
        }
    }
}
