using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reporting;

/// <summary>The instruments of the hosts, and the names that management pages display.</summary>
[Collection(Alone.Name)]
public sealed class RabbitMetricsTests(BrokerFixture broker)
{
    [Fact]
    public async Task Confirms_retries_repeats_and_dead_letters_are_counted_in_the_meter()
    {
        var counts = new ConcurrentDictionary<string, long>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = Listen;
        // The sum, because the instrumented copies of the library that other tests load have instruments of the same names.
        listener.SetMeasurementEventCallback<long>((instrument, value, _, _) => counts.AddOrUpdate(instrument.Name["reloaded.messaging.rabbitmq.".Length..], value, (_, sum) => sum + value));
        listener.Start();
        Collect();
        var before = new Dictionary<string, long>(counts);
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(static host => host.On((in Numbered _, Origin _) => throw new InvalidOperationException("Refused by the test.")));
        await host.SubscribeAsync("work", DeliveryKind.AtLeastOnce, "workers", new SubscriptionOptions { MaxTries = 3, RetryDelay = TimeSpan.Zero });

        host.Publish("work", new Numbered(1), DeliveryKind.AtLeastOnce);
        await host.FlushAsync().InTime();
        await Until.TrueAsync(() => host.GetStatistics().DeadLettered == 1);

        await Until.TrueAsync(() =>
        {
            Collect();
            return Added("dead_lettered") == 1;
        });
        Assert.Equal((1, 2, 2), (Added("confirmed"), Added("retried"), Added("repeated")));
        Assert.Equal(1, host.GetStatistics().Confirmed);

        void Collect()
        {
            counts.Clear();
            listener.RecordObservableInstruments();
        }

        long Added(string name) => counts[name] - before.GetValueOrDefault(name);
    }

    [Fact]
    public async Task Counters_of_a_disposed_host_stay_under_its_name()
    {
        await using var fleet = new Fleet(broker.Get());
        var name = $"host-{Guid.NewGuid():N}";
        var values = new ConcurrentDictionary<string, long>();
        using var listener = new MeterListener { InstrumentPublished = Listen };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            if (tags.Contains(new KeyValuePair<string, object?>("host", name)))
                values[instrument.Name["reloaded.messaging.rabbitmq.".Length..]] = value;
        });
        listener.Start();
        var hosts = new List<RabbitHost>();
        for (var count = 0; count < 2; count++)
        {
            hosts.Add(await fleet.AddAsync(options: new RabbitOptions { Name = name }));
            hosts[count].Publish("news", new Numbered(1), DeliveryKind.AtLeastOnce);
            await hosts[count].FlushAsync().InTime();
        }

        listener.RecordObservableInstruments();
        Assert.Equal((2, 2, 2), (values["confirmed"], values["unrouted"], values["connected"]));

        await hosts[0].DisposeAsync();
        listener.RecordObservableInstruments();
        Assert.Equal((2, 2, 1), (values["confirmed"], values["unrouted"], values["connected"]));
    }

    [Fact]
    public async Task Page_and_dashboard_name_the_instruments()
    {
        await using var fleet = new Fleet(broker.Get());
        var instruments = new ConcurrentDictionary<string, Instrument>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == MessagingMetrics.MeterName)
                    instruments[instrument.Name] = instrument;
            },
        };
        listener.Start();
        await fleet.AddAsync();
        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "rabbitmq.md"));
        var dashboard = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "grafana-rabbitmq.json"));

        foreach (var instrument in instruments.Values.Where(static instrument => instrument.Name.StartsWith("reloaded.messaging.rabbitmq.", StringComparison.Ordinal)))
            Assert.Contains($"| `{instrument.Name}` | `{instrument.Unit}` | {instrument.Description} |", page, StringComparison.Ordinal);
        var names = instruments.Values.Select(static instrument => instrument.Name.Replace('.', '_') + (instrument switch
        {
            Histogram<double> => "_seconds",
            ObservableCounter<long> => "_total",
            _ => "",
        })).ToHashSet();
        var used = Regex.Matches(dashboard, "\\b(?:reloaded_messaging_rabbitmq|messaging_process|rpc_client)_[a-z_]+(?=[{,])").Select(static match => Regex.Replace(match.Value, "_(bucket|count)$", "")).ToHashSet();
        Assert.NotEmpty(used);
        Assert.Empty(used.Except(names));
    }

    [Fact]
    public async Task Consumers_and_connections_are_named_after_the_host()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync(options: new RabbitOptions { Name = "lobby" });
        await host.SubscribeAsync("load.*", DeliveryKind.AtLeastOnce, "workers");

        var consumers = await broker.Get().EvaluateAsync("[{proplists:get_value(queue_name, Consumer), proplists:get_value(consumer_tag, Consumer)} || Consumer <- rabbit_amqqueue:consumers_all(<<\"/\">>)]");
        var connections = await broker.Get().EvaluateAsync("rabbit_networking:connection_info_all([client_properties])");

        Assert.Contains($"<<\"{fleet.Scope}.kept.workers.load.*\">>}},<<\"{host.Id}.", consumers, StringComparison.Ordinal);
        Assert.Contains($"{host.Id} publishes", connections, StringComparison.Ordinal);
        Assert.Contains($"{host.Id} requests", connections, StringComparison.Ordinal);
        Assert.Contains($"{host.Id} consumes", connections, StringComparison.Ordinal);
    }

    private static void Listen(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == MessagingMetrics.MeterName && instrument.Name.StartsWith("reloaded.messaging.rabbitmq.", StringComparison.Ordinal))
            listener.EnableMeasurementEvents(instrument);
    }
}
