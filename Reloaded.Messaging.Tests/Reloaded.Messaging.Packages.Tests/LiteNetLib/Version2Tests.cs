using System.Collections.Concurrent;
using LiteNetLib;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>The messages to and from a program built on Reloaded.Messaging 2.0, as the writer and the reader of 2.0 encode them.</summary>
public sealed class Version2Tests
{
    private static readonly CompressionOptions s_always = new(new BrotliCompressor(), threshold: 0, evenIfLarger: true);

    /// <summary>The type, the sent value, and the packet.</summary>
    public static IEnumerable<TheoryDataRow<int, string>> Vectors =>
    [
        new(0, "00 2A000000"),
        new(3, "03 2A000000"),
        new(126, "7E 2A000000"),
        new(127, "7F 2A000000"),
    ];

    [Theory]
    [MemberData(nameof(Vectors))]
    public async Task A_message_is_one_packet_under_the_short_header(int type, string packet)
    {
        var received = new ConcurrentQueue<(string, DeliveryMethod)>();
        await using var theirs = new RawServer(Options, isCompatible: true, (reader, _, method) => received.Enqueue((Convert.ToHexString(reader.GetRemainingBytes()), method)));
        await using var client = await CompatibleHost.ConnectAsync(new LiteNetTransport(Options).At(theirs.Port)).InTime();
        var contract = new MessageContract<int>((uint)type, new BlittableSerializer<int>());

        Assert.Equal(SendStatus.Sent, client.Server.Send(contract, 42));
        Assert.Equal(SendStatus.Sent, client.Server.Send(contract, 42));
        await Signal.UntilAsync(() => received.Count == 2);

        Assert.All(received, item => Assert.Equal((packet.Replace(" ", "", StringComparison.Ordinal), DeliveryMethod.ReliableOrdered), item));
    }

    [Theory]
    [MemberData(nameof(Vectors))]
    public async Task A_packet_of_theirs_is_handled(int type, string packet)
    {
        var received = Signal.New<int>();
        await using var server = await CompatibleHost.ListenAsync(new LiteNetTransport(Options).At(0), server =>
            server.On(new MessageContract<int>((uint)type, new BlittableSerializer<int>()), (in int message, CompatiblePeer _) => received.TrySetResult(message)));
        using var theirs = new RawClient(Options.ConnectionKey, server.Endpoint.Port);

        await theirs.SendAsync(Convert.FromHexString(packet.Replace(" ", "", StringComparison.Ordinal)));

        Assert.Equal(42, await received.Task.InTime());
    }

    [Theory]
    [InlineData(5)]
    [InlineData(127)]
    public async Task What_is_compressed_carries_its_size_in_four_bytes_both_ways(int type)
    {
        var packets = new ConcurrentQueue<byte[]>();
        await using var theirs = new RawServer(Options, isCompatible: true, (reader, _, _) => packets.Enqueue(reader.GetRemainingBytes()));
        await using var client = await CompatibleHost.ConnectAsync(new LiteNetTransport(Options).At(theirs.Port)).InTime();
        var contract = new MessageContract<long>((uint)type, new BlittableSerializer<long>(), s_always);
        client.Server.Send(contract, 1000);
        await Signal.UntilAsync(() => packets.Count == 1);
        Assert.True(packets.TryDequeue(out var packet));
        Assert.Equal([(byte)(0x80 | type), 8, 0, 0, 0], packet[..5]);

        var received = Signal.New<long>();
        await using var server = await CompatibleHost.ListenAsync(new LiteNetTransport(Options).At(0), server => server.On(contract, (in long message, CompatiblePeer _) => received.TrySetResult(message)));
        using var raw = new RawClient(Options.ConnectionKey, server.Endpoint.Port);
        await raw.SendAsync(packet);

        Assert.Equal(1000, await received.Task.InTime());
    }

    [Fact]
    public async Task Requests_and_larger_types_are_refused_before_anything_is_sent()
    {
        await using var theirs = new RawServer(Options, isCompatible: true, static (_, _, _) => { });
        await using var client = await CompatibleHost.ConnectAsync(new LiteNetTransport(Options).At(theirs.Port)).InTime();
        var contract = new MessageContract<int>(128, new BlittableSerializer<int>());

        Assert.Throws<NotSupportedException>(() => client.OnRequest((Ping ping) => new Pong(ping.Number)));
        Assert.Throws<NotSupportedException>(() => client.OnRequest(async (Ping ping) => new Pong(ping.Number)));
        var sent = Assert.Throws<InvalidOperationException>(() => { client.Server.Send(contract, 1); });
        var broadcast = Assert.Throws<InvalidOperationException>(() => client.Broadcast(contract, 1));

        Assert.All([sent, broadcast], static e => Assert.Contains("128", e.Message, StringComparison.Ordinal));
        Assert.True(client.Server.IsConnected);
    }

    [Fact]
    public async Task An_extended_header_is_never_read_as_one()
    {
        var types = new ConcurrentQueue<uint>();
        await using var server = await CompatibleHost.ListenAsync(new LiteNetTransport(Options).At(0), server =>
            server.On(new MessageContract<byte>(127, new BlittableSerializer<byte>()), (in byte message, CompatiblePeer _) => types.Enqueue(message)));
        using var theirs = new RawClient(Options.ConnectionKey, server.Endpoint.Port);

        await theirs.SendAsync([0x7F, 0x04]); // type 127 with the payload 4; as an extended header it would begin a control message
        await theirs.SendAsync([0xFF, 0x01]); // compressed, and cut off
        await theirs.SendAsync([0x7F, 0x05]);
        await Signal.UntilAsync(() => types.Count == 2);

        Assert.Equal([4u, 5u], types);
        Assert.Equal(1, server.MalformedMessages);
    }

    [Fact]
    public async Task What_was_sent_before_the_end_arrives_though_its_packet_is_lost_once()
    {
        var (count, toLose) = (0, 0);
        await using var theirs = new RawServer(Options, isCompatible: true, (_, _, _) => Interlocked.Increment(ref count));
        await using var proxy = new UdpProxy { Treat = (datagram, isUp) => isUp && Interlocked.Decrement(ref toLose) >= 0 ? [] : [datagram] };
        proxy.Start(MessageEndpoint.Udp(theirs.Port));
        var client = await CompatibleHost.ConnectAsync(new LiteNetTransport(Options).At(proxy.Endpoint.Port), flushTimeout: Deadline.Length).InTime();
        var contract = new MessageContract<int>(1, new BlittableSerializer<int>());
        for (var i = 0; i < 2000; i++)
            await client.Server.SendAsync(contract, i);
        await Signal.UntilAsync(() => Volatile.Read(ref count) == 2000);

        Volatile.Write(ref toLose, 1);
        client.Server.Send(contract, 2000);
        await client.DisposeAsync();

        Assert.Equal(2001, count);
        Assert.Equal(0, client.LostMessages);
    }

    [Fact]
    public async Task Listening_for_other_machines_is_refused_because_nothing_is_encrypted()
    {
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(() => CompatibleHost.ListenAsync(new LiteNetTransport(Options).At("0.0.0.0", 0)));

        Assert.Contains("0.0.0.0", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(() => CompatibleHost.ListenAsync(MessageEndpoint.Tcp(0)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task No_more_programs_connect_than_the_limit(int limit)
    {
        var endpoint = MessageEndpoint.Over(new CompatibleTransport(new LiteNetTransport(Options)), "127.0.0.1", 0);
        await using var listener = await endpoint.ListenAsync(new TransportContext { MaxConnections = limit });
        var programs = new List<RawClient>();
        try
        {
            for (var i = 0; i < limit; i++)
            {
                programs.Add(new RawClient(Options.ConnectionKey, listener.Address.Port));
                await programs[i].Connected.InTime();
            }

            programs.Add(new RawClient(Options.ConnectionKey, listener.Address.Port));
            await Assert.ThrowsAsync<InvalidOperationException>(() => programs[limit].Connected.InTime());
        }
        finally
        {
            foreach (var program in programs)
                program.Dispose();
        }
    }

    private static LiteNetOptions Options => new() { ConnectionKey = "password" };
}
