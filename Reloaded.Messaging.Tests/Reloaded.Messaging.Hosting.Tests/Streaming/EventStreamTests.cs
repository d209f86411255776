using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Streaming;

public sealed class EventStreamTests
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"event-streams-{Interlocked.Increment(ref s_names)}");

    [Fact]
    public async Task Events_arrive_in_order()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var events = client.Events<Ping>();
        await client.AnsweredAsync();
        var received = new List<int>();

        for (var i = 0; i < 100; i++)
            Assert.Equal(1, server.Broadcast(new Ping(i)));
        await foreach (var ping in events)
        {
            received.Add(ping.Number);
            if (received.Count == 100)
                break;
        }

        Assert.Equal(Enumerable.Range(0, 100), received);
        Assert.Equal(0, events.Lost);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Enumeration_ends_with_its_host(bool isServer)
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        MessageHost host = isServer ? server : client;
        var reading = host.Events<Ping>().ReadAllAsync();

        await host.DisposeAsync().AsTask().InTime();

        Assert.Empty(await reading.InTime());
        Assert.Empty(await host.Events<Pong>().ReadAllAsync().InTime());
    }

    [Fact]
    public async Task Slow_reader_loses_the_oldest_events_and_counts_them()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var events = client.Events<Ping>(capacity: 3);
        await client.AnsweredAsync();

        for (var i = 0; i < 10; i++)
            server.Broadcast(new Ping(i));
        await Signal.UntilAsync(() => events.Lost == 7);
        events.Dispose();

        Assert.Equal([7, 8, 9], (await events.ReadAllAsync().InTime()).Select(static ping => ping.Number));
    }

    [Fact]
    public async Task Canceled_token_ends_the_enumeration_and_the_registration()
    {
        using var canceled = new CancellationTokenSource();
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var reading = client.Events<Ping>(canceled.Token).ReadAllAsync();

        Assert.Throws<InvalidOperationException>(() => client.On((in Ping _, Peer _) => { }));
        await canceled.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.InTime());
        using var handler = client.On((in Ping _, Peer _) => { });
    }

    [Fact]
    public async Task Second_enumeration_is_refused()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint);
        using var events = server.Events<Ping>();
        await using var first = events.GetAsyncEnumerator();

        var refusal = Assert.Throws<InvalidOperationException>(() => events.GetAsyncEnumerator());

        Assert.Contains("Call Events again", refusal.Message, StringComparison.Ordinal);
    }
}
