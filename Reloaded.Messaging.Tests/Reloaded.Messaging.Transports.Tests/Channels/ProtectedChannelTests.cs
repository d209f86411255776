using System.Linq;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>What somebody on the way can do to an encrypted stream: end it, and nothing else.</summary>
public sealed class ProtectedChannelTests
{
    private static readonly byte[] s_secret = RandomNumberGenerator.GetBytes(32);
    private static readonly byte[] s_plain = [.. Enumerable.Range(0, 40).Select(i => (byte)('a' + (i % 20)))];

    [Fact]
    public async Task Record_with_an_altered_byte_ends_the_stream_and_delivers_nothing()
    {
        const int RecordSize = 3 + 40 + 16;
        const int HighByteOfLength = 1; // makes the record longer than the stream, which is then cut within it
        for (var i = 0; i < RecordSize; i++)
        {
            var (client, server, wire) = await ConnectAsync();
            wire.Alter = bytes => [.. bytes[..i], (byte)(bytes[i] ^ 1), .. bytes[(i + 1)..]];
            await client.SendAsync(s_plain, default);
            Assert.Equal(RecordSize, wire.Sent[^1].Length);
            await client.DisposeAsync();

            await AssertClosedAsync(i == HighByteOfLength ? TransportCloseReason.ConnectionLost : TransportCloseReason.Tampered, server);
        }
    }

    [Fact]
    public async Task Stream_that_ends_within_a_record_is_a_lost_connection()
    {
        foreach (var length in new[] { 1, 2, 3, 30, 58 })
        {
            var (client, server, wire) = await ConnectAsync();
            wire.Alter = bytes => bytes[..length];
            await client.SendAsync(s_plain, default);
            await client.DisposeAsync();

            await AssertClosedAsync(TransportCloseReason.ConnectionLost, server);
        }
    }

    [Theory]
    [InlineData("left out")]
    [InlineData("repeated")]
    [InlineData("swapped")]
    [InlineData("sent back")]
    public async Task Records_that_are_not_in_order_end_the_stream(string how)
    {
        var (client, server, wire) = await ConnectAsync();
        byte[] kept = [];
        var count = 0;
        wire.Alter = bytes => (how, count++) switch
        {
            ("left out", 1) => [],
            ("repeated", 1) => [.. kept, .. kept],
            ("swapped", 1) => Keep(bytes),
            ("swapped", 2) => [.. bytes, .. kept],
            ("sent back", 1) => [.. kept.AsSpan(0, 3), .. RandomNumberGenerator.GetBytes(kept.Length - 3)],
            _ => how == "swapped" ? bytes : Keep(bytes, sends: true),
        };
        await client.SendAsync(s_plain, default);
        Assert.Equal(s_plain, await ReceiveAsync(server, s_plain.Length));
        await client.SendAsync(s_plain, default);
        await client.SendAsync(s_plain, default);
        await client.DisposeAsync();

        await AssertTamperedAsync(server);

        byte[] Keep(byte[] bytes, bool sends = false)
        {
            kept = bytes;
            return sends ? bytes : [];
        }
    }

    [Fact]
    public async Task Records_reflected_to_their_sender_are_refused()
    {
        var (atServer, atClient) = InProcessChannel.CreatePair("reflected");
        var wire = new AlteringChannel(atClient);
        var back = new AlteringChannel(atServer);
        await using var server = Make(back, isServer: true);
        await using var client = Make(wire, isServer: false);
        await client.SendAsync(s_plain, default);
        await ReceiveAsync(server, s_plain.Length);
        var own = wire.Sent[^1];
        back.Alter = _ => own;

        await server.SendAsync(s_plain, default);

        await AssertTamperedAsync(client);
    }

    [Fact]
    public async Task Token_that_the_transport_found_with_the_address_is_passed_on()
    {
        var (atServer, atClient) = InProcessChannel.CreatePair("token");
        atClient.Token = s_secret;
        await using var server = Make(atServer, isServer: true);
        await using var client = Make(atClient, isServer: false);

        Assert.Equal(s_secret, client.Token.ToArray());
        Assert.True(server.Token.IsEmpty);
    }

    [Fact]
    public async Task Sent_bytes_are_not_readable_on_the_wire()
    {
        var (client, server, wire) = await ConnectAsync();
        await client.SendAsync(s_plain, default);
        await client.SendAsync(s_plain, default);

        var received = await ReceiveAsync(server, 2 * s_plain.Length);
        Assert.Equal([.. s_plain, .. s_plain], received);
        Assert.Equal(3, wire.Sent.Count); // the offer and two records
        Assert.NotEqual(wire.Sent[1], wire.Sent[2]);
        foreach (var sent in wire.Sent)
        {
            for (var i = 0; i + 8 <= s_plain.Length; i++)
                Assert.Equal(-1, sent.AsSpan().IndexOf(s_plain.AsSpan(i, 8)));
        }
    }

    [Fact]
    public async Task Record_length_out_of_range_ends_the_stream_before_memory_is_rented()
    {
        foreach (var length in new ushort[] { 0, 1, 17, (16 * 1024) + 18, ushort.MaxValue })
        {
            var (client, server, wire) = await ConnectAsync();
            wire.Alter = _ => [(byte)length, (byte)(length >> 8), 0];
            await client.SendAsync(s_plain, default);

            await AssertTamperedAsync(server);
            client.Abort();
        }
    }

    [Fact]
    public async Task Decrypted_bytes_are_zeroed_when_the_channel_closes()
    {
        var (client, server, wire) = await ConnectAsync();
        byte[] held = [];
        wire.Received = room =>
        {
            held = ArrayOf(room);
            return Task.CompletedTask;
        };
        var sending = server.SendAsync((byte[])[.. new byte[8000], .. s_plain], default).AsTask();
        Assert.Equal(2000, await client.ReceiveAsync(new byte[2000], default).AsTask().InTime());
        await sending.InTime();
        Assert.NotEqual(-1, held.AsSpan().IndexOf(s_plain));

        await client.DisposeAsync();

        Assert.Equal(-1, held.AsSpan().IndexOf(s_plain));
        await server.DisposeAsync();
    }

    [Fact]
    public async Task Receive_buffer_is_returned_after_the_receive_ends()
    {
        var (client, server, wire) = await ConnectAsync();
        var (received, handUp) = (Signal.New<byte[]>(), Signal.New<bool>());
        wire.Received = room =>
        {
            received.TrySetResult(ArrayOf(room));
            return handUp.Task;
        };
        var sending = server.SendAsync(new byte[8000], default).AsTask();
        var receiving = client.ReceiveAsync(new byte[100], default).AsTask();
        var held = await received.Task.InTime();
        var start = held[..32];

        client.Abort();
        await client.DisposeAsync();
        Assert.Equal(start, held[..32]);
        handUp.SetResult(true);

        await Assert.ThrowsAsync<TransportClosedException>(() => receiving.InTime());
        Assert.Equal(-1, held.AsSpan().IndexOf(start));
        await server.DisposeAsync();
        await sending.ContinueWith(_ => { }, TaskScheduler.Default).InTime();
    }

    private static byte[] ArrayOf(Memory<byte> room) => MemoryMarshal.TryGetArray<byte>(room, out var array) ? array.Array! : [];

    private static ProtectedChannel Make(TransportChannel inner, bool isServer) => new(inner, new ExchangeSettings(ProtectionOptions.WithSecret(s_secret), s_secret, isDatagrams: false), isServer);

    private static async Task<(ProtectedChannel Client, ProtectedChannel Server, AlteringChannel Wire)> ConnectAsync()
    {
        var (atServer, atClient) = InProcessChannel.CreatePair("altered");
        var wire = new AlteringChannel(atClient);
        var (server, client) = (Make(atServer, isServer: true), Make(wire, isServer: false));
        await server.SendAsync(new byte[1], default).AsTask().InTime(); // the exchange is done on both sides, and every write is a record
        await ReceiveAsync(client, 1);
        return (client, server, wire);
    }

    private static Task<byte[]> ReceiveAsync(TransportChannel channel, int length) => Traffic.ReceiveInPiecesAsync(channel, length, seed: 1);

    private static Task AssertTamperedAsync(TransportChannel channel) => AssertClosedAsync(TransportCloseReason.Tampered, channel);

    private static async Task AssertClosedAsync(TransportCloseReason reason, TransportChannel channel)
    {
        var failure = await Assert.ThrowsAsync<TransportClosedException>(() => channel.ReceiveAsync(new byte[100_000], default).AsTask().InTime());
        Assert.Equal(reason, failure.Reason);
        await channel.DisposeAsync();
    }
}
