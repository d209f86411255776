using System.Diagnostics;
using System.Linq;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.PeerProcess;
using Reloaded.Messaging.Tests.Reconnecting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>What docs/observability.md shows, compiled and run with the OpenTelemetry SDK. The exporters receive from the whole process, so nothing else may run.</summary>
[Quiet]
public sealed class OpenTelemetryTests
{
    [Fact]
    public async Task Trace_of_two_processes_has_one_id_and_right_parents()
    {
        Assert.SkipWhen(GameProcess.IsOther, "The game of another runtime creates no spans.");
        var name = $"traced-{Environment.ProcessId}";
        using var game = await GameProcess.StartAsync(name, TracedServer.Verb);
        var spans = new List<Activity>();
        using var tracing = Sdk.CreateTracerProviderBuilder()
            .AddSource(MessagingTracing.SourceName)
            .AddInMemoryExporter(spans)
            .Build();
        await using var tool = await MessageHost.ConnectAsync(game.Endpoint, options: new MessageHostOptions { CarriesTraceContext = true });
        using var outer = new Activity("outer") { TraceStateString = "vendor=1", ActivityTraceFlags = ActivityTraceFlags.Recorded }.Start();

        var remote = await tool.Server.RequestAsync(MessageContract.GetDeclared<Question>(), SpanIds.Contract, new Question(1));

        tracing.ForceFlush();
        var request = Assert.Single(spans);
        Assert.Equal(("Question", ActivityKind.Client, outer.TraceId, outer.SpanId), (request.DisplayName, request.Kind, request.TraceId, request.ParentSpanId));
        Assert.Equal(new SpanIds(outer.TraceId.ToString(), remote.SpanId, request.SpanId.ToString(), "vendor=1"), remote);
        Assert.NotEqual(remote.ParentSpanId, remote.SpanId);
        await game.QuitAsync();
    }

    [Fact]
    public async Task Metrics_are_exported_with_buckets_and_tags()
    {
        var exported = new List<MetricSnapshot>();
        using var metrics = Sdk.CreateMeterProviderBuilder()
            .AddMeter(MessagingMetrics.MeterName)
            .AddInMemoryExporter(exported)
            .Build();
        var endpoint = MessageEndpoint.InProcess($"exported-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        await using var client = await MessageHost.ConnectAsync(endpoint);

        await client.RequestAsync<Ping, Pong>(new Ping(1));

        metrics.ForceFlush();
        var duration = Assert.Single(exported, static metric => metric.Name == "rpc.client.call.duration");
        var point = Assert.Single(duration.MetricPoints, point => Has(point, "endpoint", endpoint.ToString()) && Has(point, "rpc.method", "Ping"));
        Assert.Equal(1, point.GetHistogramCount());
        var bounds = new List<double>();
        foreach (var bucket in point.GetHistogramBuckets())
            bounds.Add(bucket.ExplicitBound);
        Assert.Equal([0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, double.PositiveInfinity], bounds);
        var peers = Assert.Single(exported, static metric => metric.Name == "reloaded.messaging.host.peers");
        Assert.Equal(1, Assert.Single(peers.MetricPoints, point => Has(point, "endpoint", endpoint.ToString()) && Has(point, "role", "server")).GetSumLong());
    }

    [Fact]
    public void Page_shows_this_code()
    {
        var code = Page.ReadCode("OpenTelemetryTests.cs.txt").ToHashSet();
        Assert.All(Page.ReadShown("observability.md").Where(static line => line.Contains("Sdk.", StringComparison.Ordinal) || line.StartsWith(".Add", StringComparison.Ordinal)), line => Assert.Contains(line, code));
    }

    private static bool Has(MetricPoint point, string key, string value)
    {
        foreach (var tag in point.Tags)
        {
            if (tag.Key == key && Equals(tag.Value, value))
                return true;
        }

        return false;
    }
}
