using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ContractTests
{
    public static TheoryData<string, string> Differences => new()
    {
        { "serializer", "the serializer is " },
        { "compressor", "the compressor is " },
        { "version", "the version is " },
        { "shape", "the first difference is the field Second" },
    };

    [Theory]
    [MemberData(nameof(Differences))]
    public async Task A_contract_that_differs_is_refused_on_both_sides_which_say_what_differs(string what, string difference)
    {
        var (servers, clients) = (new List<ContractMismatch>(), new List<ContractMismatch>());
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server =>
        {
            server.ContractMismatched += (_, mismatch) => servers.Add(mismatch);
            server.On(Make("one", 1, 10, 20, 30), (in Ping _, Peer _) => { });
        });
        var exception = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(server.Endpoint, client => Handle(client, what, clients)).InTime());
        await Signal.UntilAsync(() => server.GetStatistics().Peers == 0);

        Assert.Equal(DisconnectReason.WrongContract, exception.Reason);
        Assert.EndsWith(clients[0].ToString(), exception.Message, StringComparison.Ordinal);
        Assert.Equal(1, server.GetCount(DisconnectReason.WrongContract));
        Check(Assert.Single(servers), typeof(Ping), typeof(Pong));
        Check(Assert.Single(clients), typeof(Pong), typeof(Ping));

        void Check(ContractMismatch mismatch, Type ours, Type theirs)
        {
            Assert.Equal((70u, ours.FullName, theirs.FullName), (mismatch.Type, mismatch.OurName, mismatch.TheirName));
            Assert.StartsWith(difference, mismatch.Difference, StringComparison.Ordinal);
            Assert.Contains(theirs.FullName!, mismatch.ToString(), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_contract_that_differs_can_be_accepted_and_is_reported_all_the_same()
    {
        var (servers, clients) = (new List<ContractMismatch>(), new List<ContractMismatch>());
        var options = new MessageHostOptions { AcceptsOtherContracts = true };
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.ContractMismatched += (_, mismatch) => servers.Add(mismatch);
                server.On(Make("one", 1, 10, 20, 30), (in Ping _, Peer _) => { });
            },
            client => Handle(client, "version", clients),
            options);
        await hosts.Server.Connection().InTime();

        Assert.True(hosts.Client.Server.IsConnected);
        Assert.Single(servers);
        Assert.Single(clients);
    }

    [Fact]
    public async Task A_contract_that_is_only_sent_is_checked_when_it_is_first_used()
    {
        var mismatches = new List<ContractMismatch>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On(Make("one", 1, 10, 20, 30), (in Ping _, Peer _) => { }),
            client => client.ContractMismatched += (_, mismatch) => mismatches.Add(mismatch));
        var other = Make("other", 1, 10, 20, 30);

        for (var i = 0; i < 2; i++)
            Assert.Equal(SendStatus.ContractMismatch, hosts.Client.Server.Send(other, new Ping(1)));

        Assert.Equal(0, hosts.Client.AllPeers.Broadcast(other, new Ping(1)));
        var refusal = await Assert.ThrowsAsync<RequestFailedException>(() => hosts.Client.Server.RequestAsync(other, MessageContract.GetDeclared<Pong>(), new Ping(1)).AsTask());
        Assert.Equal(RequestStatus.ContractMismatch, refusal.Status);
        Assert.Equal(70u, Assert.Single(mismatches).Type);
        Assert.Equal(SendStatus.Sent, hosts.Client.Server.Send(Make("one", 1, 10, 20, 30), new Ping(1)));
    }

    [Fact]
    public async Task A_contract_that_is_only_sent_can_be_accepted_too_and_is_reported_once()
    {
        var mismatches = new List<ContractMismatch>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On(Make("one", 1, 10, 20, 30), (in Ping _, Peer _) => { }));
        await using var client = await MessageHost.ConnectAsync(
            server.Endpoint,
            client => client.ContractMismatched += (_, mismatch) => mismatches.Add(mismatch),
            new MessageHostOptions { AcceptsOtherContracts = true }).InTime();

        for (var i = 0; i < 3; i++)
            Assert.Equal(SendStatus.Sent, client.Server.Send(Make("other", 1, 10, 20, 30), new Ping(1)));

        Assert.Single(mismatches);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_contract_that_is_registered_later_is_checked_then(bool isHandledThere)
    {
        var other = new MessageContract<Ping>(1070, new Named<Ping>("other"));
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var reported = Signal.New<ContractMismatch>();
        server.ContractMismatched += (_, mismatch) => reported.TrySetResult(mismatch);
        var gone = server.Disconnection();
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client =>
        {
            if (isHandledThere)
                client.On(other, (in Ping _, Peer _) => { });
        }).InTime();
        var told = Signal.New<ContractMismatch>();
        client.ContractMismatched += (_, mismatch) => told.TrySetResult(mismatch);
        var peer = await server.Connection().InTime();
        client.Server.Send(other, new Ping(1)); // the server doesn't know the type yet

        server.On(new MessageContract<Ping>(1070, new Named<Ping>("one")), (in Ping _, Peer _) => { });

        Assert.Equal(1070u, (await told.Task.InTime()).Type);
        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        Assert.EndsWith("differ: the serializer is one here and other there.", peer.GoodbyeText, StringComparison.Ordinal);
        await Signal.UntilAsync(() => client.GetCount(DisconnectReason.WrongContract) == 1);
    }

    [Fact]
    public async Task Fields_that_were_appended_are_no_difference()
    {
        var mismatches = new List<ContractMismatch>();
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server => server.On(Make("one", 1, 10, 20, 30), (in Ping _, Peer _) => { }),
            client => Handle(client, "appended", mismatches));

        Assert.True(hosts.Client.Server.IsConnected);
        Assert.Empty(mismatches);
    }

    [Theory]
    [InlineData('x')]
    [InlineData('\u4E00')] // three bytes of UTF-8
    public async Task Layouts_that_do_not_fit_into_a_hello_are_left_out(char letter)
    {
        void Register(MessageHost host)
        {
            for (var i = 0u; i < 40; i++)
                host.On(new MessageContract<Ping>(1000 + i, new Named<Ping>("one"), shape: new MessageShape(["A"], [1ul << 32], $"o;{new string(letter, 6000)} i4")), (in Ping _, Peer _) => { });
        }

        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Register);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        var hello = HelloMessage.TryRead((await raw.ReceiveAsync()).Payload)!;
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, Register).InTime();

        Assert.InRange(hello.Contracts.Length, 200_000, 224 * 1024);
        Assert.Equal(40, AnnouncedContracts.TryRead(hello.Contracts)!.Count);
        Assert.True(client.Server.IsConnected);
    }

    [Fact]
    public async Task Who_tells_of_nothing_again_and_again_is_disconnected()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var one = RawPeer.Announcement();
        var many = new byte[20_000 * one.Length];
        for (var i = 0; i < many.Length; i++)
            many[i] = one[i % one.Length];

        await raw.SendAsync(many);
        await raw.ReceiveToEndAsync().InTime();

        Assert.Equal(1, server.GetCount(DisconnectReason.Malformed));
    }

    [Fact]
    public async Task Who_tells_of_one_contract_after_the_other_is_disconnected()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);

        await raw.SendAsync([.. Enumerable.Range(0, 10_000).SelectMany(i => RawPeer.Announcement(new MessageContract<Ping>(1000u + (uint)i, new Named<Ping>("one"))))]);
        await raw.ReceiveToEndAsync().InTime();

        Assert.Equal(1, server.GetCount(DisconnectReason.Malformed));
    }

    [Fact]
    public async Task Handlers_may_be_registered_again_and_again()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        await hosts.Server.Connection().InTime();

        for (var i = 0; i < 10_000; i++)
            hosts.Server.On(new MessageContract<Ping>(1000u + (uint)(i % 3), new Named<Ping>("one")), (in Ping _, Peer _) => { }).Dispose();

        Assert.Equal(new Pong(1), await hosts.Client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
        Assert.Equal(SendStatus.ContractMismatch, hosts.Client.Server.Send(new MessageContract<Ping>(1000, new Named<Ping>("other")), new Ping(1)));
    }

    [Fact]
    public async Task Contracts_may_be_added_while_others_shake_hands()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var adding = Deadline.RunAside(() =>
        {
            for (var i = 0u; i < 200; i++)
                server.On(new MessageContract<Ping>(1000 + i, new Named<Ping>("one")), (in Ping _, Peer _) => { });
        });

        for (var i = 0; i < 20; i++)
            await (await MessageHost.ConnectAsync(server.Endpoint).InTime()).DisposeAsync();

        await adding.InTime();
        Assert.Equal(0, server.GetStatistics().HandlerFailures);
    }

    private static void Handle(MessageClient client, string what, List<ContractMismatch> mismatches)
    {
        client.ContractMismatched += (_, mismatch) => mismatches.Add(mismatch);
        var name = what == "serializer" ? "other" : "one";
        ulong[] shape = what switch { "shape" => [10, 21, 31], "appended" => [10, 20, 30, 40], _ => [10, 20, 30] };
        var fields = new string[shape.Length];
        for (var i = 0; i < shape.Length; i++)
        {
            shape[i] |= (ulong)(i + 1) << 32;
            fields[i] = i == 1 ? "Second" : $"Field{i}";
        }

        client.On(new MessageContract<Pong>(70, new Named<Pong>(name), what == "compressor" ? new CompressionOptions(new BrotliCompressor()) : null, version: what == "version" ? 2 : 1, shape: new MessageShape(fields, shape)), (in Pong _, Peer _) => { });
    }

    private static MessageContract<Ping> Make(string serializer, int version, params ulong[] hashes) => new(
        70,
        new Named<Ping>(serializer),
        version: version,
        shape: new MessageShape(["First", "Second", "Third"], [hashes[0] | (1ul << 32), hashes[1] | (2ul << 32), hashes[2] | (3ul << 32)]));

    private sealed class Named<T>(string name) : IMessageSerializer<T>
        where T : struct
    {
        public string Name => name;

        public void Serialize(in T value, MessageBuffer buffer) => buffer.WriteUVarint(1);

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out T value)
        {
            value = default;
            return true;
        }
    }
}
