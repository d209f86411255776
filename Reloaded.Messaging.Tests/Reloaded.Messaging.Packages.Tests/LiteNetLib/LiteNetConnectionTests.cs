using System.Collections.Concurrent;
using System.Linq;
using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;
using DisconnectReason = Reloaded.Messaging.Hosting.DisconnectReason;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>Connecting, refusing and disconnecting over LiteNetLib.</summary>
public sealed class LiteNetConnectionTests
{
    [Fact]
    public async Task Another_key_is_refused_with_the_key_in_the_error()
    {
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport(new LiteNetOptions { ConnectionKey = "one" }).At(0));
        var other = new LiteNetTransport(new LiteNetOptions { ConnectionKey = "another" });

        var refused = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(other.At(server.Endpoint.Port)).InTime());

        Assert.Contains("'another'", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, 2)]
    [InlineData(3, 1)]
    public async Task Different_numbers_of_channels_are_refused_with_both_numbers(int here, int there)
    {
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport(new LiteNetOptions { Channels = there }).At(0));
        var other = new LiteNetTransport(new LiteNetOptions { Channels = here });

        var refused = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(other.At(server.Endpoint.Port)).InTime());

        Assert.Contains($"Channels is {here} here and {there} at the server", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("0400FFFE")] // a string of four bytes, of which two are missing
    [InlineData("0400FFFEFF01")] // not UTF-8
    public async Task Client_with_a_malformed_greeting_is_refused(string greeting)
    {
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0));
        var refused = Signal.New<global::LiteNetLib.DisconnectReason>();
        var events = new EventBasedNetListener();
        events.PeerDisconnectedEvent += (_, info) => refused.TrySetResult(info.Reason);
        var client = new NetManager(events) { UnsyncedEvents = true, IPv6Enabled = false };
        client.Start(System.Net.IPAddress.Loopback, System.Net.IPAddress.IPv6Loopback, 0);

        client.Connect(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, server.Endpoint.Port), Convert.FromHexString(greeting));

        Assert.Equal(global::LiteNetLib.DisconnectReason.ConnectionRejected, await refused.Task.InTime());
        client.Stop();
    }

    [Fact]
    public async Task Nobody_there_is_said()
    {
        var transport = new LiteNetTransport(new LiteNetOptions { Configure = static manager => (manager.MaxConnectAttempts, manager.ReconnectDelay) = (2, 50) });
        var server = await MessageHost.ListenAsync(transport.At(0));
        await server.DisposeAsync();

        var failed = await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(server.Endpoint).InTime());

        Assert.Contains(server.Endpoint.ToString(), failed.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_token_is_refused_and_a_right_one_is_not()
    {
        var transport = new LiteNetTransport();
        await using var server = await MessageHost.ListenAsync(transport.At(0), options: new MessageHostOptions { Token = "the right token!"u8.ToArray() });

        var refused = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Token = "the wrong token!"u8.ToArray() }).InTime());
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: new MessageHostOptions { Token = "the right token!"u8.ToArray() }).InTime();

        Assert.Equal(DisconnectReason.WrongToken, refused.Reason);
        Assert.True(client.Server.IsConnected);
    }

    [Fact]
    public async Task What_keeps_no_order_is_not_encrypted_as_one_stream()
    {
        var transport = new LiteNetTransport(new LiteNetOptions().Deliver<Position>(LiteNetDelivery.Unreliable));

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            MessageHost.ListenAsync(transport.At(0), options: new MessageHostOptions { Protection = ProtectionOptions.WithSecret(new byte[32]) }));

        Assert.Contains("Unreliable", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Other_machines_are_let_in_with_encryption_alone()
    {
        await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(new LiteNetTransport().At("0.0.0.0", 0)));
    }

    [Fact]
    public async Task A_channel_that_there_is_not_is_refused()
    {
        var transport = new LiteNetTransport(new LiteNetOptions { Channels = 2 }.Deliver<Position>(LiteNetDelivery.Sequenced(2)));

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => MessageHost.ListenAsync(transport.At(0)));

        Assert.Contains("channel is 2", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Everything_sent_before_a_goodbye_arrives_and_the_port_is_free_afterwards()
    {
        for (var round = 0; round < 5; round++)
        {
            var count = 0;
            var gone = Signal.New<DisconnectReason>();
            var transport = new LiteNetTransport();
            var server = await MessageHost.ListenAsync(transport.At(0), server =>
            {
                server.On((in Note _, Peer _) => Interlocked.Increment(ref count));
                server.PeerDisconnected += (_, reason) => gone.TrySetResult(reason);
            });
            var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
            for (var i = 0; i < 1000; i++)
                await client.SendAsync(new Note(new string('x', 200)));
            await client.DisposeAsync();

            Assert.Equal(DisconnectReason.Goodbye, await gone.Task.InTime());
            Assert.Equal(1000, count);
            await server.DisposeAsync();
            await using var next = await MessageHost.ListenAsync(transport.At(server.Endpoint.Port));
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)] // the handler begins to block the thread shortly before
    public async Task Disposing_does_not_wait_for_a_handler_that_blocks_the_thread_of_LiteNetLib(bool isLongBlocked)
    {
        using var goesOn = new ManualResetEventSlim();
        var begun = Signal.New<bool>();
        var context = new TransportContext { FlushTimeout = TimeSpan.FromHours(1) };
        var transport = new LiteNetTransport();
        var listener = await transport.ListenAsync(new TransportAddress(transport, "127.0.0.1") { IPAddresses = [System.Net.IPAddress.Loopback] }, context);
        var accepting = listener.AcceptAsync(default).AsTask();
        var client = await new LiteNetTransport().ConnectAsync(listener.Address, new TransportContext(), default).AsTask().InTime();
        var server = (await accepting.InTime())!;
        var handling = HandleAsync();
        await client.SendAsync(new byte[] { 1, 7 }, default).AsTask().InTime();
        await begun.Task.InTime();
        if (isLongBlocked)
        {
            await Task.Delay(2 * ReceivingManager.BlockedAfter); // from then on, the handler counts as blocked
            var sent = new byte[30 * 1001];
            for (var frame = 0; frame < sent.Length; frame += 1001)
                (sent[frame], sent[frame + 1]) = (0xE7, 7); // the length 999 in two bytes
            await server.SendAsync(sent, default);
            await server.DisposeAsync().AsTask().InTime();
            await listener.DisposeAsync().AsTask().InTime();
            var received = new byte[sent.Length];
            for (var count = 0; count < received.Length;)
                count += await client.ReceiveAsync(received.AsMemory(count), default).AsTask().InTime();
            Assert.Equal(sent, received);
        }
        else
        {
            server.Abort();
            await listener.DisposeAsync().AsTask().InTime();
        }

        Assert.False(handling.IsCompleted);
        goesOn.Set();
        await handling.InTime();
        await client.DisposeAsync();

        async Task HandleAsync()
        {
            await server.ReceiveAsync(new byte[2], default);
            begun.SetResult(true);
            goesOn.WaitInTime(); // on the thread of LiteNetLib
        }
    }

    [Fact]
    public async Task A_server_that_is_full_says_so()
    {
        var options = new MessageHostOptions { Limits = new HostLimits { MaxPeers = 1 } };
        await using var pair = await LiteNetPair.OpenAsync(hosts: options);

        var refused = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(pair.Server.Endpoint).InTime());

        Assert.Equal(DisconnectReason.TooManyPeers, refused.Reason);
    }

    [Fact]
    public async Task A_server_tells_each_of_many_clients_that_come_at_once_that_it_is_full()
    {
        const int Room = 5;
        const int Clients = 40;
        var options = new MessageHostOptions { Limits = new HostLimits { MaxPeers = Room } };
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0), options: options);

        var connected = new List<MessageClient>();
        var reasons = await Task.WhenAll(Enumerable.Range(0, Clients).Select(async _ =>
        {
            try
            {
                var client = await MessageHost.ConnectAsync(new LiteNetTransport().At(server.Endpoint.Port)).InTime();
                lock (connected)
                    connected.Add(client);
                return (DisconnectReason?)null;
            }
            catch (HandshakeException e)
            {
                return e.Reason;
            }
        }));

        Assert.Equal(Room, connected.Count);
        Assert.All(reasons.OfType<DisconnectReason>(), static reason => Assert.Equal(DisconnectReason.TooManyPeers, reason));
        Assert.Equal(Clients - Room, server.GetStatistics().RefusedConnections);
        foreach (var client in connected)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task Who_sends_reliably_what_nobody_pumps_is_disconnected_at_the_limit()
    {
        var gone = Signal.New<DisconnectReason>();
        var options = new LiteNetOptions { MaxReceivedBytes = 64 * 1024 };
        await using var pair = await LiteNetPair.OpenAsync(
            server => server.On((in Note _, Peer _) => { }),
            client => client.PeerDisconnected += (_, reason) => gone.TrySetResult(reason),
            options,
            new MessageHostOptions { IsPumped = true });

        for (var i = 0; i < 20_000 && pair.Client.Server.IsConnected; i++)
            await pair.Client.SendAsync(new Note(new string('x', 200)));

        await gone.Task.InTime();
        Assert.True(pair.ServerTransport.Dropped > 0);
    }

    [Fact]
    public async Task What_LiteNetLib_is_given_to_keep_is_bounded_and_nothing_is_lost()
    {
        const int Most = 8;
        NetManager? sender = null;
        using var handled = new CountdownEvent(1);
        using var goOn = new ManualResetEventSlim();
        var patient = new LiteNetOptions { Configure = static manager => manager.DisconnectTimeout = 60_000 };
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport(patient).At(0), server => server.On((in Snapshot _, Peer _) =>
        {
            goOn.WaitInTime(); // blocks LiteNetLib's thread, which sends no acknowledgements meanwhile
            handled.Signal();
        }));
        var options = new LiteNetOptions { MaxQueuedPackets = Most, Configure = manager => (sender = manager).DisconnectTimeout = 60_000 };
        var hosts = new MessageHostOptions { Limits = new HostLimits { MaxPendingBytes = 64 * 1024 } };
        await using var client = await MessageHost.ConnectAsync(new LiteNetTransport(options).At(server.Endpoint.Port), options: hosts).InTime();

        for (var round = 0; round < 50; round++)
        {
            while (client.Server.Send(new Snapshot(new byte[1000])) == SendStatus.Sent)
                handled.AddCount();
            Assert.InRange(sender!.FirstPeer.GetPacketsCountInReliableQueue(0, ordered: true), 0, Most);
            await Task.Delay(1);
        }

        goOn.Set();
        handled.Signal();
        await Deadline.RunAside(() => Assert.True(handled.Wait(Deadline.Length)));
    }

    [Fact]
    public async Task A_message_that_no_host_would_take_is_not_put_together()
    {
        var options = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 300_000 } };
        await using var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0), options: options);
        var client = await MessageHost.ConnectAsync(new LiteNetTransport().At(server.Endpoint.Port), options: options).InTime();

        var refused = Assert.Throws<MessageTooLargeException>(() => { client.Send(new Snapshot(new byte[400_000])); });
        var most = ((LiteNetTransport)server.Endpoint.Transport!).CreateManager(new EventBasedNetListener(), new TransportContext { MaxFrameSize = 300_000 }, isCompatible: false).MaxFragmentsCount;

        Assert.Equal(300_000, refused.Limit);
        Assert.InRange(most, 300_000 / 1014, 400);
        await client.DisposeAsync();
    }
}
