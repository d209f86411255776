using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Pumping;

public sealed class PumpTests
{
    private static readonly MessageHostOptions s_pumped = new() { IsPumped = true, PumpCapacity = 64 };

    [Fact]
    public async Task Nothing_is_lost_when_many_peers_send_more_than_the_queue_holds()
    {
        const int Peers = 4, Each = 500;
        var received = new List<(long Peer, int Number)>();
        var threads = new HashSet<int>();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping ping, Peer from) =>
            {
                received.Add((from.Id, ping.Number));
                threads.Add(Environment.CurrentManagedThreadId);
            }),
            s_pumped);
        var clients = await Task.WhenAll(Enumerable.Range(0, Peers).Select(_ => MessageHost.ConnectAsync(server.Endpoint)));
        foreach (var client in clients)
        {
            for (var i = 0; i < Each; i++)
                Assert.Equal(SendStatus.Sent, client.Send(new Ping(i)));
        }

        var pumping = await Deadline.RunAside(() => PumpUntil(server, () => received.Count == Peers * Each)).InTime();

        Assert.Equal([pumping], threads);
        foreach (var peer in received.GroupBy(message => message.Peer))
            Assert.Equal(Enumerable.Range(0, Each), peer.Select(message => message.Number));
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task Queue_beyond_PumpBytes_takes_no_further_message_and_none_is_lost()
    {
        const int Each = 1000, Count = 100;
        var received = new List<int>();
        var most = 0;
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Note note, Peer peer) =>
            {
                received.Add(note.Text.Length);
                most = Math.Max(most, peer.Host.Inbox!.Count);
            }),
            serverOptions: new MessageHostOptions { IsPumped = true, PumpBytes = 10 * Each });
        for (var i = 0; i < Count; i++)
            hosts.Client.Send(new Note(new string('x', Each + i)));
        hosts.Client.Send(new Note(new string('y', 20 * Each))); // more than all of it
        await hosts.Client.Server.FlushAsync();
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == 9);

        await Deadline.RunAside(() => PumpUntil(hosts.Server, () => received.Count == Count + 1)).InTime();
        Assert.InRange(most, 1, 9); // at no time more than fit
        Assert.Equal([.. Enumerable.Range(Each, Count), 20 * Each], received);
    }

    [Fact]
    public async Task A_handler_goes_on_where_it_was_pumped()
    {
        var threads = new List<int>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest<Ping, Pong>(async (ping, from, token) =>
            {
                threads.Add(Environment.CurrentManagedThreadId);
                await Task.Yield();
                threads.Add(Environment.CurrentManagedThreadId);
                var asked = await from.RequestAsync<Ping, Pong>(new Ping(ping.Number), cancellationToken: token);
                threads.Add(Environment.CurrentManagedThreadId);
                return new Pong(asked.Number + 1);
            }),
            client => client.OnRequest((Ping ping) => new Pong(ping.Number * 2)),
            serverOptions: s_pumped);

        var request = hosts.Client.RequestAsync<Ping, Pong>(new Ping(5)).AsTask();
        var pumping = await Deadline.RunAside(() => PumpUntil(hosts.Server, () => request.IsCompleted)).InTime();

        Assert.Equal(new Pong(11), await request);
        Assert.Equal([pumping, pumping, pumping], threads);
    }

    [Fact]
    public async Task A_pumped_handler_that_throws_is_a_fault_and_the_pump_goes_on()
    {
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest((Ping ping) => ping.Number < 0 ? throw new InvalidOperationException() : new Pong(ping.Number)),
            serverOptions: s_pumped);

        var failing = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(-1)).AsTask();
        var good = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1)).AsTask();
        var unhandled = hosts.Client.TryRequestAsync<Note, Pong>(new Note("")).AsTask();
        await Deadline.RunAside(() => PumpUntil(hosts.Server, () => failing.IsCompleted && good.IsCompleted && unhandled.IsCompleted)).InTime();

        Assert.Equal(FaultCode.HandlerFailed, (await failing).Fault!.Code);
        Assert.Equal(new Pong(1), (await good).Reply);
        Assert.Equal(FaultCode.NoHandler, (await unhandled).Fault!.Code);
        Assert.Equal(1, hosts.Server.GetStatistics().HandlerFailures);
    }

    [Fact]
    public async Task A_request_that_is_taken_back_before_it_is_pumped_begins_canceled()
    {
        var canceled = new List<(int Number, bool IsCanceled)>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.On((in Note _, Peer _) => { });
                server.OnRequest<Ping, Pong>((ping, _, token) =>
                {
                    canceled.Add((ping.Number, token.IsCancellationRequested));
                    return new(new Pong(ping.Number));
                });
            },
            serverOptions: s_pumped);
        using var source = new CancellationTokenSource();
        var first = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(1), cancellationToken: source.Token).AsTask();
        var second = hosts.Client.TryRequestAsync<Ping, Pong>(new Ping(2)).AsTask();

        await source.CancelAsync();
        hosts.Client.Send(new Note("behind it"));
        await Signal.UntilAsync(() => hosts.Server.Inbox!.Count == 3);
        await Deadline.RunAside(() => PumpUntil(hosts.Server, () => second.IsCompleted)).InTime();

        Assert.Equal([(1, true), (2, false)], canceled);
        Assert.Equal(RequestStatus.Canceled, (await first.InTime()).Status);
        Assert.Equal(new Pong(2), (await second.InTime()).Reply);
    }

    [Fact]
    public async Task A_pump_handles_no_more_than_its_budget()
    {
        var handled = 0;
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => handled++), serverOptions: s_pumped);
        for (var i = 0; i < 20; i++)
            hosts.Client.Send(new Ping(i));

        var pumps = new List<int>();
        await Deadline.RunAside(() =>
        {
            while (handled < 20)
                pumps.Add(hosts.Server.Pump(PumpBudget.Messages(3)).Pumped);
        }).InTime();

        Assert.All(pumps, pumped => Assert.InRange(pumped, 0, 3));
        Assert.Equal(20, pumps.Sum());
    }

    [Fact]
    public async Task A_pumped_peer_that_sends_too_much_that_cant_be_read_is_malformed()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => { }), s_pumped);
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var gone = server.Disconnection();

        for (var i = 0; i < 17; i++)
            await raw.SendAsync(RawPeer.Frame(MessageKind.Event, 1, 0, 0xFF));
        await Deadline.RunAside(() => PumpUntil(server, () => gone.IsCompleted)).InTime();

        Assert.Equal(DisconnectReason.Malformed, await gone);
    }

    [Fact]
    public async Task A_host_ends_while_peers_wait_for_its_pump()
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) => { }), s_pumped);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        var gone = client.Disconnection();

        for (var i = 0; i < 1000; i++)
            client.Send(new Ping(i));
        await client.Server.FlushAsync().InTime();
        await server.DisposeAsync().AsTask().InTime();

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
    }

    [Fact]
    public async Task A_host_that_is_not_pumped_says_so()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));

        Assert.Throws<InvalidOperationException>(() => server.Pump());
    }

    private static int PumpUntil(MessageHost host, Func<bool> condition)
    {
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (!condition() && Environment.TickCount64 < end)
        {
            if (host.Pump().Pumped == 0)
                Thread.Yield();
        }

        return Environment.CurrentManagedThreadId;
    }
}
