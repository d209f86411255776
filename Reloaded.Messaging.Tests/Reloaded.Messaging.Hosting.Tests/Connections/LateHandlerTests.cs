using System.Collections.Concurrent;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

/// <summary>A handler that is registered while peers are connected gets the messages of a peer from the answer to the announcement on.</summary>
public sealed class LateHandlerTests
{
    internal const uint Type = 70;
    internal const uint Derived = 2_100_000;

    public static TheoryData<string, uint> Transports => new() { { "tcp", Type }, { "tcp", Derived }, { "in-process", Type } };

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Events_of_another_layout_on_their_way_are_not_read(string transport, uint type) => SendAnotherLayoutAsync(EndpointOf(transport), type);

    [Theory]
    [MemberData(nameof(Transports))]
    public Task Events_of_the_same_layout_are_handled_from_the_answer_on_and_counted_before(string transport, uint type) => SendSameLayoutAsync(EndpointOf(transport), type);

    [Theory]
    [InlineData(Type)]
    [InlineData(Derived)]
    public async Task Event_is_handled_if_it_follows_the_answer(uint type)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        var handled = Signal.New<int>();
        server.On(new MessageContract<int>(type, new Tagged("one")), (in int number, Peer _) => handled.TrySetResult(number));
        var answer = await ReadQuestionAsync(raw);

        await raw.SendAsync([.. Event(type, 1), .. answer, .. Event(type, 2)]);

        Assert.Equal(2, await handled.Task.InTime());
        Assert.Equal(1, server.GetCount(DispatchStatus.NoHandler));
        Assert.Equal(0, server.GetStatistics().MalformedMessages);
    }

    [Fact]
    public async Task Request_before_the_answer_has_no_handler()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        server.OnRequest(new MessageContract<int>(Type, new Tagged("one")), new MessageContract<int>(Type + 1, new Tagged("two")), (in int number, Peer _) => number);
        var answer = await ReadQuestionAsync(raw);

        await raw.SendAsync([.. RawPeer.Frame(MessageKind.Request, Type, 1, 1), .. answer, .. RawPeer.Frame(MessageKind.Request, Type, 2, 1)]);

        var (fault, reply) = (await ReadAsync(raw, MessageKind.Fault), await ReadAsync(raw, MessageKind.Reply));
        Assert.Equal((1u, FaultCode.NoHandler), (fault.CorrelationId, fault.Code));
        Assert.Equal(2u, reply.CorrelationId);
    }

    [Fact]
    public async Task Handler_that_is_registered_again_with_the_same_layout_loses_nothing()
    {
        HandlerRegistration? first = null;
        var handled = new ConcurrentQueue<int>();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => first = Register(server));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        first!.Dispose();
        using var second = Register(server);

        await raw.SendAsync(Event(Type, 1));

        await Signal.UntilAsync(() => !handled.IsEmpty);
        Assert.Equal(0, server.GetCount(DispatchStatus.NoHandler));

        HandlerRegistration Register(MessageHost host) => host.On(new MessageContract<int>(Type, new Tagged("one")), (in int number, Peer _) => handled.Enqueue(number));
    }

    [Fact]
    public async Task Layout_that_was_replaced_and_comes_back_waits_for_its_answer()
    {
        HandlerRegistration? first = null;
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => first = server.On(new MessageContract<int>(Type, new Tagged("one")), (in int _, Peer _) => { }));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        first!.Dispose();
        server.On(new MessageContract<int>(Type, new Tagged("two")), (in int _, Peer _) => { }).Dispose();
        var handled = Signal.New<int>();
        server.On(new MessageContract<int>(Type, new Tagged("one")), (in int number, Peer _) => handled.TrySetResult(number));
        var answers = new[] { await ReadQuestionAsync(raw), [] };
        do
            answers[1] = await ReadQuestionAsync(raw);
        while (answers[1].AsSpan().SequenceEqual(answers[0])); // a question without an answer is repeated

        await raw.SendAsync([.. answers[0], .. Event(Type, 1), .. answers[1], .. Event(Type, 2)]);

        Assert.Equal(2, await handled.Task.InTime());
        Assert.Equal(1, server.GetCount(DispatchStatus.NoHandler));
    }

    [Fact]
    public async Task Contract_that_was_announced_before_needs_no_further_answer()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        var peer = await server.Connection().InTime();
        var contract = new MessageContract<int>(Type, new Tagged("one"));
        server.AnnounceContract(contract);
        await raw.SendAsync(await ReadQuestionAsync(raw));
        await Signal.UntilAsync(() => peer.Connection.KnownAnnouncement == peer.Connection.LastAnnouncement);
        var handled = Signal.New<int>();
        server.On(contract, (in int number, Peer _) => handled.TrySetResult(number));

        await raw.SendAsync(Event(Type, 1));

        Assert.Equal(1, await handled.Task.InTime());
    }

    [Fact]
    public async Task Peer_whose_handshake_announced_the_contract_needs_no_answer()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);
        await raw.SendAsync([.. RawPeer.Hello(null, new MessageContract<int>(Type, new Tagged("one"))), .. RawPeer.Accept]);
        await server.Connection().InTime();
        var handled = Signal.New<int>();
        server.On(new MessageContract<int>(Type, new Tagged("one")), (in int number, Peer _) => handled.TrySetResult(number));

        await raw.SendAsync(Event(Type, 1));

        Assert.Equal(1, await handled.Task.InTime());
    }

    [Fact]
    public async Task Contract_that_differs_from_the_announced_one_of_this_host_is_not_sent()
    {
        var announced = new MessageContract<int>(Type, new Tagged("one")); // a contract that is collected before the handshake is not announced
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => client.AnnounceContract(announced)).InTime();

        Assert.Equal(SendStatus.ContractMismatch, client.Server.Send(new MessageContract<int>(Type, new Tagged("two")), 1));
        Assert.Equal(SendStatus.Sent, client.Server.Send(new MessageContract<int>(Type, new Tagged("one")), 1));
        GC.KeepAlive(announced);
    }

    [Fact]
    public async Task Event_that_waits_for_the_pump_is_not_read_by_a_later_layout()
    {
        HandlerRegistration? first = null;
        var later = new Tagged("later");
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server => first = server.On(new MessageContract<int>(Type, new Tagged("first")), (in int _, Peer _) => { }),
            new MessageHostOptions { IsPumped = true });
        using var raw = await RawPeer.HandshakeAsync(server.Endpoint);
        await server.Connection().InTime();
        await raw.SendAsync(Event(Type, 1));
        await Signal.UntilAsync(() => server.Inbox!.Count == 1);
        first!.Dispose();
        var handled = 0;
        server.On(new MessageContract<int>(Type, later), (in int _, Peer _) => handled++);
        await raw.SendAsync([.. await ReadQuestionAsync(raw), .. Event(Type, 2)]);
        await Signal.UntilAsync(() => server.Inbox!.Count == 2);

        server.Pump();

        Assert.Equal((1, 1, 1), (handled, later.Reads, server.GetCount(DispatchStatus.NoHandler)));
    }

    [Theory]
    [InlineData(Type)]
    [InlineData(Derived)]
    public async Task Another_contract_of_an_id_is_compared_when_it_is_sent(uint type)
    {
        var contract = new MessageContract<int>(type, new Tagged("one"));
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On(contract, (in int _, Peer _) => { }));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();

        var sent = new[] { contract, new MessageContract<int>(type, new Tagged("two")), contract, new MessageContract<int>(type, new Tagged("one")) }.Select(one => client.Server.Send(one, 1));

        Assert.Equal([SendStatus.Sent, SendStatus.ContractMismatch, SendStatus.Sent, SendStatus.Sent], sent);
    }

    [Theory]
    [InlineData(8, DeliveryMode.Unreliable)]
    [InlineData(12, DeliveryMode.ReliableOrdered)]
    public void Answer_about_an_announcement_is_reliable(int size, DeliveryMode mode)
    {
        using var pong = ControlMessage.Pack(ControlCode.Pong, new byte[size]);

        Assert.Equal(mode, new EventDeliveries().Find(pong.Span, isSequencedReadable: true).Mode);
        Assert.Equal(mode, ControlCode.DeliveryOf(ControlCode.Ping, size).Mode);
    }

    /// <summary>Registers a handler of another layout, while events are on their way, and checks that it reads none of them.</summary>
    internal static async Task SendAnotherLayoutAsync(MessageEndpoint endpoint, uint type)
    {
        await using var server = await MessageHost.ListenAsync(endpoint);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await server.Connection().InTime();
        var gone = server.Disconnection();
        var (ours, theirs) = (new Tagged("ours"), new Tagged("theirs"));
        var sender = new MessageContract<int>(type, theirs);
        client.Deliver(sender, DeliveryMode.ReliableByType);
        using var sending = new CancellationTokenSource();
        var sent = Task.Run(async () =>
        {
            for (var i = 0; !sending.IsCancellationRequested && client.Server.IsConnected; i++)
            {
                client.Server.Send(sender, i);
                if (i % 16 == 0)
                    await Task.Yield();
            }
        });
        await Signal.UntilAsync(() => server.GetCount(DispatchStatus.NoHandler) > 0);

        server.On(new MessageContract<int>(type, ours), (in int _, Peer _) => { });

        Assert.Equal(DisconnectReason.Goodbye, await gone.InTime());
        await sending.CancelAsync();
        await sent.InTime();
        Assert.Equal(0, ours.WrongReads);
    }

    /// <summary>Registers a handler while events are on their way, and checks that it reads all from one of them on.</summary>
    internal static async Task SendSameLayoutAsync(MessageEndpoint endpoint, uint type)
    {
        await using var server = await MessageHost.ListenAsync(endpoint);
        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        await server.Connection().InTime();
        var contract = new MessageContract<int>(type, new Tagged("same"));
        client.Deliver(contract, DeliveryMode.ReliableOrdered);
        var handled = new ConcurrentQueue<int>();
        var sent = 0;
        var sending = Task.Run(async () =>
        {
            while (handled.Count < 100)
            {
                if (await client.Server.SendAsync(contract, sent) == SendStatus.Sent)
                    sent++;
            }
        });
        await Signal.UntilAsync(() => server.GetCount(DispatchStatus.NoHandler) > 0);

        server.On(contract, (in int number, Peer _) => handled.Enqueue(number));
        await sending.InTime();
        await Signal.UntilAsync(() => handled.Count + server.GetCount(DispatchStatus.NoHandler) == sent);

        Assert.Equal(Enumerable.Range(sent - handled.Count, handled.Count), handled);
    }

    private static MessageEndpoint EndpointOf(string transport) => transport == "tcp" ? MessageEndpoint.Tcp(0) : MessageEndpoint.InProcess(Guid.NewGuid().ToString());

    private static byte[] Event(uint type, byte number) => RawPeer.Frame(MessageKind.Event, type, 0, number);

    /// <summary>Reads up to a ping that asks for an announcement.</summary>
    /// <returns>The answer.</returns>
    private static async Task<byte[]> ReadQuestionAsync(RawPeer raw)
    {
        while (true)
        {
            var (header, payload) = await raw.ReceiveAnyAsync();
            if (header is { Kind: MessageKind.Control, Type: ControlCode.Ping } && payload.Length == ControlCode.QuerySize)
                return RawPeer.Frame(MessageKind.Control, ControlCode.Pong, 0, payload);
        }
    }

    private static async Task<(uint CorrelationId, int Code)> ReadAsync(RawPeer raw, MessageKind kind)
    {
        while (true)
        {
            var (header, payload) = await raw.ReceiveAsync();
            if (header.Kind == kind)
                return (header.CorrelationId, payload[0]);
        }
    }

    /// <summary>Writes a number as one byte, or with a tag, and counts what was read with another tag.</summary>
    internal sealed class Tagged(string name) : IMessageSerializer<int>
    {
        public int Reads;

        public int WrongReads;

        public string Name => name;

        public void Serialize(in int value, MessageBuffer buffer)
        {
            buffer.WriteFixed(value);
            buffer.WriteString(name);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out int value)
        {
            Interlocked.Increment(ref Reads);
            value = payload[0];
            if (payload.Length == 1)
                return true;
            var reader = new PayloadReader(payload);
            if (!reader.TryReadFixed(out value) || !reader.TryReadRequiredString(out var written) || written != name)
                Interlocked.Increment(ref WrongReads);
            return true;
        }
    }
}
