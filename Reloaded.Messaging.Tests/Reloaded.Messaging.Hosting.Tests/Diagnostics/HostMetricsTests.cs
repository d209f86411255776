using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>The listener measures the durations of the whole process, so nothing else may run.</summary>
[Quiet]
public sealed class HostMetricsTests : IDisposable
{
    private const string Prefix = "reloaded.messaging.host.";

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"metrics-{Guid.NewGuid():N}");
    private readonly MeterListener _listener = new();
    private readonly ConcurrentQueue<(string Name, object Value, Dictionary<string, object?> Tags)> _measured = new();

    public HostMetricsTests()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == MessagingMetrics.MeterName)
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => _measured.Enqueue((instrument.Name, value, new(tags.ToArray()))));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => _measured.Enqueue((instrument.Name, value, new(tags.ToArray()))));
        _listener.Start();
    }

    [Fact]
    public async Task Peers_and_bytes_of_both_roles_are_told_apart()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        await using var first = await MessageHost.ConnectAsync(_endpoint);
        await using var second = await MessageHost.ConnectAsync(_endpoint);
        await first.RequestAsync<Ping, Pong>(new Ping(1));

        Assert.Equal((2, 2), (Read("peers", "server"), Read("peers", "client")));
        await Signal.UntilAsync(() => Read("sent", "server") == Read("received", "client") && Read("sent", "client") == Read("received", "server"));
        Assert.True(Read("sent", "client") > 0);

        var before = Read("received", "server");
        await second.DisposeAsync();
        await Signal.UntilAsync(() => Read("peers", "server") == 1);
        Assert.True(Read("received", "server") >= before);
    }

    [Fact]
    public async Task Durations_have_type_and_status()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, server =>
        {
            server.On((in Note _, Peer _) => { });
            server.OnRequest((Ping ping) => ping.Number > 0 ? new Pong(ping.Number) : throw new RequestFaultException(1000, "zero"));
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        client.Send(new Note("timed"));
        await client.TryRequestAsync<Ping, Pong>(new Ping(1));
        await client.TryRequestAsync<Ping, Pong>(new Ping(0));

        await Signal.UntilAsync(() => Durations("rpc.server.call.duration").Count == 2 && Durations("rpc.client.call.duration").Count == 2);
        Assert.Equal(["Ping Replied ", "Ping Faulted Faulted"], Durations("rpc.client.call.duration"));
        Assert.Equal(["Ping Replied ", "Ping Faulted 1000"], Durations("rpc.server.call.duration"));
        Assert.All(_measured.Where(static one => one.Value is double), one => Assert.InRange((double)one.Value, 0, 30));
        Assert.Equal("Note", Assert.Single(_measured, one => one.Name == "messaging.process.duration" && IsOurs(one.Tags)).Tags["messaging.destination.name"]);
    }

    [Fact]
    public async Task Timeouts_late_replies_and_back_pressure_are_counted()
    {
        var late = Signal.New<Pong>();
        await using var server = await MessageHost.ListenAsync(_endpoint, server => server.OnRequest((Ping _, Peer _, CancellationToken _) => new ValueTask<Pong>(late.Task)));
        await using var client = await MessageHost.ConnectAsync(_endpoint, null, new MessageHostOptions { Limits = new HostLimits { MaxUnansweredRequests = 1 } });

        var first = client.TryRequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(1));
        await client.TryRequestAsync<Ping, Pong>(new Ping(2));
        await first;
        late.SetResult(new Pong(1));

        await Signal.UntilAsync(() => Read("replies.late", "client") == 1);
        Assert.Equal(1, Read("requests.timed_out", "client"));
        Assert.Equal(1, Read("unsent", "client", ("status", "Full")));
    }

    [Fact]
    public async Task Disconnects_and_refusals_have_reason()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, null, new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } });
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        await Assert.ThrowsAnyAsync<Exception>(() => MessageHost.ConnectAsync(_endpoint));
        await client.DisposeAsync();

        await Signal.UntilAsync(() => Read("disconnects", "server", ("reason", "Goodbye")) == 1);
        Assert.Equal(1, Read("refusals", "server", ("reason", "TooManyPeers")));
        Assert.Equal(0, Read("disconnects", "server", ("reason", "TooManyPeers")));
        Assert.Equal(1, server.GetCount(DisconnectReason.TooManyPeers));
    }

    [Fact]
    public async Task Messages_for_pump_are_counted_until_they_are_handled()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, server => server.On((in Ping _, Peer _) => { }), new MessageHostOptions { IsPumped = true });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        client.Send(new Ping(1));
        client.Send(new Ping(2));

        await Signal.UntilAsync(() => Read("pump.queued", "server") == 2);
        server.Pump();
        Assert.Equal(0, Read("pump.queued", "server"));
    }

    [Fact]
    public async Task Disposed_host_is_not_reported_and_not_kept_alive()
    {
        var host = await RunHostAsync(_endpoint);

        Assert.Equal(0, Read("peers", "server"));
        Assert.DoesNotContain(_measured, one => one.Name == Prefix + "peers" && IsOurs(one.Tags));
        await Signal.UntilAsync(() =>
        {
            GC.Collect();
            return !host.IsAlive;
        });
    }

    [Fact]
    public void Values_of_tag_are_bounded()
    {
        var tags = new OperationTags(2);

        Assert.Equal(["a", "b", "a", "_OTHER", "b"], new[] { "a", "b", "a", "c", "b" }.Select(tags.Use));
        tags.Release("a");
        Assert.Equal("_OTHER", tags.Use("c"));
        tags.Release("a");
        Assert.Equal("c", tags.Use("c"));
    }

    [Fact]
    public async Task Page_lists_every_instrument_with_its_unit_and_the_version_of_the_meters()
    {
        var (published, versions) = (new ConcurrentQueue<string>(), new ConcurrentQueue<string?>());
        await using var server = await MessageHost.ListenAsync(_endpoint);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name != MessagingMetrics.MeterName)
                    return;
                versions.Enqueue(instrument.Meter.Version);
                published.Enqueue($"| `{instrument.Name}` | `{instrument.Unit}` |");
            },
        };
        listener.Start();
        using (new MessageWriter().Pack(new Ping(1)))
            await Signal.UntilAsync(() => published.Any(static line => line.Contains("buffers", StringComparison.Ordinal)));

        string[] prefixes = ["| `reloaded.messaging.", "| `rpc.", "| `messaging."];
        var listed = File.ReadAllLines(Page.PathOf("observability.md"))
            .Where(line => prefixes.Any(prefix => line.StartsWith(prefix, StringComparison.Ordinal)))
            .Select(static line => string.Join('|', line.Split('|')[..3]) + "|");
        Assert.Equal(listed.Order(), published.Distinct().Order());
        Assert.Equal(["3.0.0"], versions.Distinct());
    }

    public void Dispose() => _listener.Dispose();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> RunHostAsync(MessageEndpoint endpoint)
    {
        var server = await MessageHost.ListenAsync(endpoint);
        await server.DisposeAsync();
        return new WeakReference(server);
    }

    private bool IsOurs(Dictionary<string, object?> tags) => Equals(tags["endpoint"], _endpoint.ToString());

    private List<string> Durations(string name) => _measured
        .Where(one => one.Name == name && IsOurs(one.Tags))
        .Select(static one => $"{one.Tags["rpc.method"]} {one.Tags["rpc.response.status_code"]} {one.Tags.GetValueOrDefault("error.type")}")
        .ToList();

    /// <summary>Collects, and returns the number of a host of this test; 0 if it is not reported.</summary>
    private long Read(string name, string role, params (string Key, string Value)[] more)
    {
        _measured.Clear();
        _listener.RecordObservableInstruments();
        return _measured
            .Where(one => one.Name == Prefix + name && IsOurs(one.Tags) && Equals(one.Tags["role"], role) && more.All(tag => Equals(one.Tags[tag.Key], tag.Value)))
            .Sum(static one => (long)one.Value);
    }
}
