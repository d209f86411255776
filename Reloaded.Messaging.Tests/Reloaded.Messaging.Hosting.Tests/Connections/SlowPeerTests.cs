using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class SlowPeerTests
{
    private static readonly Note s_large = new(new string('x', 10_000));
    private static readonly MessageHostOptions s_small = new() { Limits = new HostLimits { MaxPendingBytes = 100_000 }, KeepAliveTimeout = TimeSpan.FromHours(1) };

    [Fact]
    public async Task Sending_to_a_peer_that_does_not_read_is_full_and_others_go_on()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), s_small);
        var connection = server.Connection();
        using var slow = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        await using var good = await MessageHost.ConnectAsync(server.Endpoint);
        await Signal.UntilAsync(() => server.Peers.Count == 2);

        await peer.FillAsync(s_large);

        Assert.Equal(SendStatus.Full, peer.Send(s_large));
        Assert.Equal(RequestStatus.Full, (await peer.TryRequestAsync<Note, Pong>(s_large).AsTask().InTime()).Status);
        Assert.Equal(1, server.Broadcast(s_large));
        Assert.Equal(new Pong(1), await good.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        await server.DisposeAsync().AsTask().InTime();
        Assert.True(server.GetStatistics().LostFrames > 0);
    }

    [Fact]
    public async Task Messages_that_were_not_written_within_the_flush_timeout_are_reported_once()
    {
        var lost = new List<(Peer, int)>();
        var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.MessagesLost += (peer, count) =>
            {
                lock (lost)
                    lost.Add((peer, count));
            },
            new MessageHostOptions { Limits = s_small.Limits, KeepAliveTimeout = s_small.KeepAliveTimeout, FlushTimeout = TimeSpan.FromMilliseconds(20) });
        var connection = server.Connection();
        using var slow = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        await peer.FillAsync(s_large);

        await server.DisposeAsync().AsTask().InTime();
        await Signal.UntilAsync(() => Volatile.Read(ref lost).Count == 1);

        Assert.Equal((peer, (int)server.GetStatistics().LostFrames), lost[0]);
        Assert.True(lost[0].Item2 > 0);
    }

    [Fact]
    public async Task Messages_before_a_goodbye_are_handled_although_the_sender_has_closed_its_socket_and_a_write_fails()
    {
        const int Count = 1000;
        var handled = 0;
        var (entered, leave) = (Signal.New<bool>(), new ManualResetEventSlim());
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping _, Peer _) =>
            {
                if (Interlocked.Increment(ref handled) == 1)
                {
                    entered.SetResult(true);
                    leave.WaitInTime();
                }
            }),
            new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromHours(1) });
        var connection = server.Connection();
        var disconnection = server.Disconnection();
        var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        var messages = Enumerable.Range(0, Count).SelectMany(static number => RawPeer.Event(new Ping(number)));
        await raw.SendAsync([.. messages, .. RawPeer.Frame(MessageKind.Control, ControlCode.Goodbye, 0, Goodbye.Write(DisconnectReason.Requested, null))]); // in one write, which fits into the buffer of the receiver
        await entered.Task.InTime();
        raw.Kill();

        await Signal.UntilAsync(() => peer.Send(new Ping(1)) == SendStatus.Closed); // a write has failed
        leave.Set();

        Assert.Equal(DisconnectReason.Goodbye, await disconnection.InTime());
        Assert.Equal(Count, handled);
    }

    [Fact]
    public async Task Disposal_waits_for_a_receiver_that_is_behind_and_all_messages_are_handled()
    {
        var (sent, handled) = (0, 0);
        var (entered, leave) = (Signal.New<bool>(), new ManualResetEventSlim());
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => server.On((in Ping _, Peer _) =>
            {
                if (Interlocked.Increment(ref handled) == 1)
                {
                    entered.SetResult(true);
                    leave.WaitInTime();
                }
            }),
            new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromHours(1) });
        var disconnection = server.Disconnection();
        var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { FlushTimeout = TimeSpan.FromHours(1), KeepAliveTimeout = TimeSpan.FromHours(1) });
        for (; sent < 5000; sent++)
            Assert.Equal(SendStatus.Sent, await client.SendAsync(new Ping(sent)));
        await entered.Task.InTime();

        var disposing = client.DisposeAsync().AsTask();
        while (client.Send(new Ping(sent)) == SendStatus.Sent)
            sent++;
        Assert.False(disposing.IsCompleted);
        leave.Set();

        await disposing.InTime();
        Assert.Equal(DisconnectReason.Goodbye, await disconnection.InTime());
        Assert.Equal(sent, handled);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Sending_once_there_is_room_waits_and_goes_on(bool isPacked)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_small);
        var connection = server.Connection();
        using var slow = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        await peer.FillAsync(s_large);
        using var packed = new MessageWriter().Pack(s_large);

        var waiting = SendAsync(default);
        Assert.False(waiting.IsCompleted);
        using var source = new CancellationTokenSource();
        var canceled = SendAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => canceled.InTime());
        var reading = slow.ReceiveToEndAsync();

        Assert.Equal(SendStatus.Sent, await waiting.InTime());
        await peer.DisconnectAsync();
        await reading.InTime();

        async Task<SendStatus> SendAsync(CancellationToken token) => isPacked ? await peer.SendAsync(packed, token) : await peer.SendAsync(s_large, token);
    }

    [Fact]
    public async Task Waiting_for_room_ends_when_the_peer_is_gone()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), options: s_small);
        var connection = server.Connection();
        using var slow = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await connection.InTime();
        await peer.FillAsync(s_large);

        var waiting = peer.SendAsync(s_large).AsTask();
        slow.Kill();

        Assert.Equal(SendStatus.Closed, await waiting.InTime());
    }

    [Fact]
    public async Task A_handler_that_never_returns_does_not_keep_its_host_from_ending()
    {
        using var entered = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.OnRequest((Ping ping) => new Pong(ping.Number));
            server.On((in Note _, Peer _) =>
            {
                entered.Set();
                never.Wait();
            });
        });
        await using var stuck = await MessageHost.ConnectAsync(server.Endpoint);
        await using var good = await MessageHost.ConnectAsync(server.Endpoint);

        stuck.Send(new Note("wait"));
        await Deadline.RunAside(entered.WaitInTime);
        Assert.Equal(new Pong(1), await good.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        var gone = stuck.Disconnection();
        await server.DisposeAsync().AsTask().InTime();

        await gone.InTime();
        never.Set();
    }

    [Fact]
    public async Task A_handler_that_never_returns_does_not_hold_back_what_others_send()
    {
        using var entered = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();
        var noted = Signal.New<string>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Ping _, Peer _) =>
        {
            entered.Set();
            never.Wait();
        }));
        var connection = server.Connection();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.On((in Note note, Peer _) => noted.TrySetResult(note.Text)));
        var peer = await connection.InTime();

        client.Send(new Ping(1));
        await Deadline.RunAside(entered.WaitInTime);
        peer.Send(new Note("from another thread"));

        Assert.Equal("from another thread", await noted.Task.InTime());
        never.Set();
    }

    [Fact]
    public async Task A_peer_whose_message_takes_its_time_here_is_not_taken_for_dead()
    {
        using var entered = new ManualResetEventSlim();
        using var gate = new ManualResetEventSlim();
        const int Silence = 500;
        var options = new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromMilliseconds(Silence), PingInterval = TimeSpan.FromMilliseconds(20) };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.OnRequest((Ping ping) =>
            {
                entered.Set();
                gate.Wait(Deadline.Length);
                return new Pong(ping.Number);
            }),
            serverOptions: options,
            clientOptions: new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(20) });

        var request = hosts.Client.RequestAsync<Ping, Pong>(new Ping(1), Deadline.Length).AsTask();
        await Deadline.RunAside(entered.WaitInTime);
        var start = hosts.Server.Resources.Clock.Now;
        await Signal.UntilAsync(() => hosts.Server.Resources.Clock.Now - start > 2 * Silence); // twice the time that a silent peer has
        gate.Set();

        Assert.Equal(new Pong(1), await request.InTime());
        Assert.Equal(0, hosts.Server.GetCount(DisconnectReason.NotResponding));
    }

    [Fact]
    public async Task The_time_of_a_round_trip_is_known()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), clientOptions: new MessageHostOptions { PingInterval = TimeSpan.FromMilliseconds(50) });

        await Signal.UntilAsync(() => hosts.Client.Server.RoundTripTime > TimeSpan.Zero);
        Assert.InRange(hosts.Client.Server.RoundTripTime, TimeSpan.Zero, Deadline.Length);
    }
}
