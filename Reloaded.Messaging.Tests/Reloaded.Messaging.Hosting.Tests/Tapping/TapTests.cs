using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Tapping;

public sealed class TapTests
{
    private readonly ConcurrentQueue<Observed> _seen = new();

    [Fact]
    public async Task Request_and_reply_are_observed_on_both_sides_in_order_of_time()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.OnRequest((Ping ping) => new Pong(ping.Number + 1));
            server.Tap(Keep);
        }, client => client.Tap(Keep));

        await hosts.Client.RequestAsync<Ping, Pong>(new Ping(41));

        await Signal.UntilAsync(() => _seen.Count == 4);
        Assert.Equal(
            [
                "client Sent Request 1: 29000000",
                "server Received Request 1: 29000000",
                "server Sent Reply 2: 2A000000",
                "client Received Reply 2: 2A000000",
            ],
            _seen.OrderBy(one => one.Time).Select(one => one.ToString()));
    }

    [Fact]
    public async Task Broadcast_is_observed_once_for_each_peer_and_goodbye_with_its_reason()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server => server.Tap(Keep));
        await using var second = await MessageHost.ConnectAsync(hosts.Server.Endpoint);

        hosts.Server.Broadcast(new Note("all"));
        await hosts.Client.DisposeAsync();

        await Signal.UntilAsync(() => _seen.Any(one => one.Kind == MessageKind.Control));
        Assert.Equal(2, _seen.Count(one => one is { Direction: MessageDirection.Sent, Kind: MessageKind.Event, Type: 3 }));
        var goodbye = Assert.Single(_seen, one => one is { Direction: MessageDirection.Received });
        Assert.Equal((MessageKind.Control, 3u, "00"), (goodbye.Kind, goodbye.Type, goodbye.Payload));
    }

    [Fact]
    public async Task Payload_of_secret_contract_is_hidden_unless_asked_for()
    {
        var shown = new ConcurrentQueue<Observed>();
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.On((in Password _, Peer _) => { });
            server.Tap(Keep);
            server.Tap((in TappedMessage message) => Enqueue(shown, in message), includesSecrets: true);
        }, client => client.Tap(Keep));

        hosts.Client.Send(new Password([1, 2]));

        await Signal.UntilAsync(() => _seen.Count == 2 && !shown.IsEmpty);
        Assert.All(_seen, one => Assert.Equal((true, "", 4), (one.IsHidden, one.Payload, one.Length)));
        Assert.Equal((false, "030102"), (Assert.Single(shown).IsHidden, shown.Single().Payload));
    }

    [Fact]
    public async Task Payload_of_packed_secret_is_hidden_on_hosts_without_a_handler()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.AnnounceContract<Password>();
            server.Tap(Keep);
        }, client => client.Tap(Keep));
        using var packed = new MessageWriter().Pack(new Password([1, 2]));

        hosts.Client.Send(packed);

        await Signal.UntilAsync(() => _seen.Count == 2);
        Assert.All(_seen, one => Assert.Equal((true, "", 4), (one.IsHidden, one.Payload, one.Length)));
    }

    [Fact]
    public async Task Exception_of_tap_is_reported_and_message_arrives()
    {
        var failures = new ConcurrentQueue<HandlerFailure>();
        var received = Signal.New<int>();
        await using var hosts = await HostPair.ConnectAsync(Next(), server =>
        {
            server.On((in Ping ping, Peer _) => received.TrySetResult(ping.Number));
            server.HandlerFailed += failures.Enqueue;
            server.Tap((in TappedMessage message) =>
            {
                if (message.Header.Kind == MessageKind.Event) // not the pings, which come at any time
                    throw new InvalidOperationException("tap");
            });
            server.Tap(Keep);
        });

        hosts.Client.Send(new Ping(7));

        Assert.Equal(7, await received.Task.InTime());
        Assert.Equal(("tap", 1u), (Assert.Single(failures).Exception.Message, failures.Single().Type));
        Assert.Single(_seen);
        Assert.Single(hosts.Server.Peers);
    }

    [Fact]
    public async Task Disposed_tap_observes_nothing_and_others_continue()
    {
        var other = new ConcurrentQueue<Observed>();
        await using var hosts = await HostPair.ConnectAsync(Next());
        var tap = hosts.Client.Tap(Keep);
        var second = hosts.Client.Tap((in TappedMessage message) => Enqueue(other, in message));

        hosts.Client.Send(new Ping(1));
        tap.Dispose();
        tap.Dispose();
        hosts.Client.Send(new Ping(2));
        second.Dispose();
        hosts.Client.Send(new Ping(3));

        Assert.Single(_seen);
        Assert.Equal(2, other.Count);
    }

    [Fact]
    public async Task Message_that_is_not_sent_is_not_observed()
    {
        await using var hosts = await HostPair.ConnectAsync(Next(), client: client =>
        {
            client.Tap(Keep);
            Assert.Equal(SendStatus.Closed, client.Send(new Ping(1)));
        });

        Assert.Empty(_seen);
    }

    private static MessageEndpoint Next() => MessageEndpoint.InProcess($"tap-{Guid.NewGuid():N}");

    /// <summary>Keeps every message except pings and pongs, which are sent at any time.</summary>
    private void Keep(in TappedMessage message) => Enqueue(_seen, in message);

    private static void Enqueue(ConcurrentQueue<Observed> queue, in TappedMessage message)
    {
        if (message.Header is not { Kind: MessageKind.Control, Type: 1 or 2 })
            queue.Enqueue(new Observed(in message));
    }

    private sealed class Observed(in TappedMessage message)
    {
        private readonly string _host = message.Peer.Host is MessageServer ? "server" : "client";

        public MessageDirection Direction { get; } = message.Direction;

        public MessageKind Kind { get; } = message.Header.Kind;

        public uint Type { get; } = message.Header.Type;

        public bool IsHidden { get; } = message.IsHidden;

        public int Length { get; } = message.Length;

        public string Payload { get; } = Convert.ToHexString(message.Payload);

        public long Time { get; } = message.Timestamp;

        public override string ToString() => $"{_host} {Direction} {Kind} {Type}: {Payload}";
    }
}

[Message(70)]
public sealed record Password([property: Secret] byte[] Bytes);
