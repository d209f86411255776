using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reporting;

/// <summary>The spans of hosts, over several hosts, and the durations of handlers and requests.</summary>
[Collection(Alone.Name)]
public sealed class RabbitTracingTests : IDisposable
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private readonly BrokerFixture _broker;
    private readonly ConcurrentQueue<Activity> _spans = new();
    private readonly ActivitySource _program = new("Reloaded.Messaging.Tests.Program");
    private readonly ActivityListener _listener;

    public RabbitTracingTests(BrokerFixture broker)
    {
        _broker = broker;
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name is MessagingTracing.SourceName or "Reloaded.Messaging.Tests.Program",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _spans.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public void Dispose()
    {
        _listener.Dispose();
        _program.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Relay_over_three_hosts_is_one_trace(bool isAsync)
    {
        await using var fleet = new Fleet(_broker.Get());
        var got = new Received<Numbered>();
        RabbitHost server = null!;
        server = await fleet.AddAsync(host => Relay(host, isAsync, () => server), new RabbitOptions { Name = "server" });
        var lobby = await fleet.AddAsync(host => host.On<Numbered>(got.Add), new RabbitOptions { Name = "lobby" });
        await server.SubscribeAsync("matches", Kept, "servers");
        await lobby.SubscribeAsync("results", Kept, "lobby");

        ActivityTraceId trace;
        using (var root = _program.StartActivity("play"))
        {
            trace = root!.TraceId;
            lobby.Publish("matches", new Numbered(1), new PublishOptions { MessageId = "one" });
            Assert.Same(root, Activity.Current);
        }

        await got.CountAsync(1);
        var names = (string[])["process results", "publish results", "process matches", "publish matches", "play"];
        await Until.TrueAsync(() => names.All(name => Find(name, trace) is not null));
        for (var index = 0; index < names.Length - 1; index++)
            Assert.Equal(Find(names[index + 1], trace)!.SpanId, Find(names[index], trace)!.ParentSpanId);
        var process = Find("process matches", trace)!;
        Assert.Equal((ActivityKind.Consumer, true), (process.Kind, process.HasRemoteParent));
        Assert.Equal(
            ("rabbitmq", "process", $"{fleet.Scope}.at-least-once:matches", "servers", "one", "server"),
            (process.GetTagItem("messaging.system"), process.GetTagItem("messaging.operation.type"), process.GetTagItem("messaging.destination.name"), process.GetTagItem("messaging.consumer.group.name"), process.GetTagItem("messaging.message.id"), process.GetTagItem("host")));
        Assert.Equal((ActivityKind.Producer, "send"), (Find("publish matches", trace)!.Kind, Find("publish matches", trace)!.GetTagItem("messaging.operation.type")));
    }

    [Fact]
    public async Task Request_and_its_handler_are_in_one_trace_and_a_fault_sets_the_error()
    {
        await using var fleet = new Fleet(_broker.Get());
        var server = await fleet.AddAsync(static host => host.OnRequest((Question question, Origin _) =>
            question.Number < 0 ? throw new InvalidOperationException("on purpose") : new Reply(question.Number, 0)));
        await server.AnswerAsync("servers");
        var lobby = await fleet.AddAsync();

        Assert.Equal(4, (await lobby.RequestAsync<Question, Reply>("servers", new Question(4)).AsTask().InTime()).Number);
        Assert.Equal(RequestStatus.Faulted, (await lobby.TryRequestAsync<Question, Reply>("servers", new Question(-1)).AsTask().InTime()).Status);
        await Assert.ThrowsAsync<RequestFaultException>(() => lobby.RequestAsync<Question, Reply>("servers", new Question(-1)).AsTask().InTime());

        var clients = _spans.Where(static span => span is { OperationName: nameof(Question), Kind: ActivityKind.Client }).ToList();
        Assert.Equal([null, "Faulted", "Faulted"], clients.Select(static span => span.GetTagItem("error.type")));
        await Until.TrueAsync(() => Servers().Count == 3);
        Assert.Equal(clients.Select(static span => span.SpanId.ToHexString()).Order(), Servers().Select(static span => span.ParentSpanId.ToHexString()).Order());

        System.Collections.Generic.List<Activity> Servers() => _spans.Where(static span => span is { OperationName: nameof(Question), Kind: ActivityKind.Server }).ToList();
    }

    [Fact]
    public async Task Messages_of_a_batch_have_the_context_of_their_publication_as_a_link()
    {
        await using var fleet = new Fleet(_broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add), new RabbitOptions { BatchDelay = TimeSpan.FromMilliseconds(200) });
        await host.SubscribeAsync("scores");

        host.Publish("scores", new Numbered(1));
        host.Publish("scores", new Numbered(2));

        await got.CountAsync(2);
        await Until.TrueAsync(() => _spans.Count(static span => span.OperationName == "process scores") == 2);
        var first = _spans.First(static span => span.OperationName == "publish scores");
        Assert.All(_spans.Where(static span => span.OperationName == "process scores"), span =>
        {
            Assert.Equal(first.SpanId, Assert.Single(span.Links).Context.SpanId);
            Assert.NotEqual(first.TraceId, span.TraceId);
        });
    }

    [Fact]
    public async Task Failed_handler_is_the_error_of_its_span_and_of_its_duration()
    {
        await using var fleet = new Fleet(_broker.Get());
        var durations = new ConcurrentQueue<string>();
        using var meters = new MeterListener();
        meters.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument is { Name: "messaging.process.duration", Meter.Name: MessagingMetrics.MeterName })
                listener.EnableMeasurementEvents(instrument);
        };
        meters.SetMeasurementEventCallback<double>((_, _, tags, _) => durations.Enqueue(string.Join(' ', tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}"))));
        meters.Start();
        var host = await fleet.AddAsync(static host => host.On((in Numbered _, Origin _) => throw new InvalidOperationException("on purpose")), new RabbitOptions { Name = "worker", MaxTries = 1 });
        await host.SubscribeAsync("jobs.*", Kept, "workers");

        host.Publish("jobs.one", new Numbered(1), Kept);

        await Until.TrueAsync(() => !durations.IsEmpty && _spans.Any(static span => span.OperationName == "process jobs.one"));
        Assert.Equal("messaging.system=rabbitmq messaging.operation.name=process messaging.destination.name=jobs.* messaging.consumer.group.name=workers host=worker error.type=Failed", Assert.Single(durations));
        var span = _spans.Single(static span => span.OperationName == "process jobs.one");
        Assert.Equal((ActivityStatusCode.Error, "Failed"), (span.Status, span.GetTagItem("error.type")));
    }

    [Fact]
    public async Task Listener_that_throws_is_reported_and_harms_no_message()
    {
        await using var fleet = new Fleet(_broker.Get());
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == MessagingTracing.SourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = static _ => throw new InvalidOperationException("of the listener"),
        };
        ActivitySource.AddActivityListener(listener);
        var (got, failures) = (new Received<Numbered>(), new ConcurrentQueue<string>());
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        host.HandlerFailed += failure => failures.Enqueue(failure.Exception.Message);
        await host.SubscribeAsync("orders", Kept, "shop");

        Assert.Equal(SendStatus.Sent, host.Publish("orders", new Numbered(1), Kept));

        await got.CountAsync(1);
        await Until.TrueAsync(() => failures.Count == 2);
        Assert.All(failures, static failure => Assert.Equal("of the listener", failure));
        Assert.Equal(0, host.GetStatistics().Retried);
    }

    private static void Relay(RabbitHost host, bool isAsync, Func<RabbitHost> server)
    {
        if (isAsync)
        {
            host.On(async (Numbered match, Origin _) =>
            {
                await Task.Yield();
                await server().PublishAsync("results", match, Kept);
            });
            return;
        }

        host.On((in Numbered match, Origin _) => Assert.Equal(SendStatus.Sent, server().Publish("results", match, Kept)));
    }

    private Activity? Find(string name, ActivityTraceId trace) => _spans.FirstOrDefault(span => span.OperationName == name && span.TraceId == trace);
}
