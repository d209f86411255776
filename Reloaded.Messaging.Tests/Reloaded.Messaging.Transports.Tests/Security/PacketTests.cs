using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>One direction: what opens, and what doesn't.</summary>
public sealed class PacketTests
{
    private static readonly byte[] s_plain = RandomNumberGenerator.GetBytes(36);

    private readonly byte[] _secret = RandomNumberGenerator.GetBytes(TrafficKey.SecretSize);

    [Fact]
    public void Sealed_packet_opens()
    {
        var (sealer, opener) = MakePair();
        var packet = Packet.Seal(sealer, s_plain);

        Assert.Equal(s_plain, packet.Opened(opener));
    }

    [Fact]
    public void No_packet_opens_with_any_bit_altered_be_it_of_its_bytes_its_number_or_its_epoch()
    {
        var (sealer, opener) = MakePair();
        var packet = Packet.Seal(sealer, s_plain);

        for (var bit = 0; bit < packet.Bytes.Length * 8; bit++)
        {
            var altered = (byte[])packet.Bytes.Clone();
            altered[bit / 8] ^= (byte)(1 << (bit % 8));
            var (status, plain) = (packet with { Bytes = altered }).Open(opener);
            Assert.Equal(OpenStatus.Forged, status);
            Assert.Equal(new byte[s_plain.Length], plain);
        }

        for (var bit = 0; bit < 64; bit++)
            Assert.Equal(OpenStatus.Forged, (packet with { Number = packet.Number ^ (1UL << bit) }).Open(opener).Status);
        for (var epoch = 1; epoch < 256; epoch++)
            Assert.Equal(OpenStatus.Forged, (packet with { Epoch = (byte)epoch }).Open(opener).Status);
        Assert.Equal(OpenStatus.Ok, packet.Open(opener).Status); // none of that harmed it
    }

    [Fact]
    public void No_packet_opens_that_is_cut_or_longer()
    {
        var (sealer, opener) = MakePair();
        var packet = Packet.Seal(sealer, s_plain);

        for (var length = 0; length < packet.Bytes.Length; length++)
            Assert.Equal(OpenStatus.Forged, (packet with { Bytes = packet.Bytes[..length] }).Open(opener).Status);
        Assert.Equal(OpenStatus.Forged, (packet with { Bytes = [.. packet.Bytes, 0] }).Open(opener).Status);
    }

    [Fact]
    public void Another_secret_and_the_own_direction_open_nothing()
    {
        var (sealer, _) = MakePair();
        using var stranger = new PacketOpener(new TrafficKey(RandomNumberGenerator.GetBytes(TrafficKey.SecretSize), 256));
        using var exchange = new Exchanged();

        Assert.Equal(OpenStatus.Forged, Packet.Seal(sealer, s_plain).Open(stranger).Status);
        Assert.Equal(OpenStatus.Forged, Packet.Seal(exchange.Client.Sealer, s_plain).Open(exchange.Client.Opener).Status); // sent back to who sent it
        Assert.Equal(OpenStatus.Forged, Packet.Seal(exchange.Server.Sealer, s_plain).Open(exchange.Server.Opener).Status);
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(700)]
    public void Packets_in_any_order_open(int packetsPerKey)
    {
        var (sealer, opener) = MakePair(packetsPerKey);
        var random = new Random(17);
        var packets = Enumerable.Range(0, 5000).Select(_ => Packet.Seal(sealer, s_plain)).ToArray();
        var order = Enumerable.Range(0, packets.Length).OrderBy(i => i + random.Next(400)).ToArray();

        foreach (var i in order)
            Assert.Equal(OpenStatus.Ok, packets[i].Open(opener).Status);
    }

    [Fact]
    public void Forged_number_far_ahead_drops_no_key()
    {
        var (sealer, opener) = MakePair();
        var packet = Packet.Seal(sealer, s_plain);

        Assert.Equal(OpenStatus.Forged, (packet with { Number = ulong.MaxValue }).Open(opener).Status);

        Assert.Equal(OpenStatus.Ok, packet.Open(opener).Status);
    }

    [Fact]
    public void Keys_rotate_at_the_limit_and_the_other_side_follows()
    {
        var (sealer, opener) = MakePair(packetsPerKey: 10);

        for (var i = 0; i < 10_000; i++)
        {
            var packet = Packet.Seal(sealer, s_plain);
            Assert.Equal((byte)(i / 10), packet.Epoch);
            Assert.Equal((ulong)i, packet.Number);
            Assert.Equal(OpenStatus.Ok, packet.Open(opener).Status);
        }
    }

    [Fact]
    public void Packets_of_the_last_key_open_while_they_may_be_late_and_those_of_older_keys_do_not()
    {
        var (sealer, opener) = MakePair(packetsPerKey: 2000);
        var packets = Enumerable.Range(0, 4100).Select(_ => Packet.Seal(sealer, s_plain)).ToArray();
        Assert.Equal(OpenStatus.Ok, packets[1990].Open(opener).Status);
        Assert.Equal(OpenStatus.Ok, packets[2000].Open(opener).Status);

        Assert.Equal(OpenStatus.Ok, packets[1991].Open(opener).Status);
        Assert.Equal(OpenStatus.Forged, (packets[1992] with { Epoch = 1 }).Open(opener).Status);
        Assert.Equal(OpenStatus.Ok, packets[3023].Open(opener).Status); // 1023 behind the first of its key
        Assert.Equal(OpenStatus.Ok, packets[1999].Open(opener).Status);
        Assert.Equal(OpenStatus.Ok, packets[3024].Open(opener).Status);
        Assert.Equal(OpenStatus.Forged, packets[1998].Open(opener).Status);
        Assert.Equal(OpenStatus.Ok, packets[3999].Open(opener).Status);
        Assert.Equal(OpenStatus.Forged, (packets[4050] with { Epoch = 0 }).Open(opener).Status);
    }

    [Fact]
    public void A_stream_opens_in_order_alone_with_none_missing()
    {
        var (sealer, opener) = MakePair(packetsPerKey: 3);
        var packets = Enumerable.Range(0, 20).Select(_ => Packet.Seal(sealer, s_plain)).ToArray();

        Assert.Equal(OpenStatus.Ok, packets[0].OpenNext(opener));
        Assert.Equal(OpenStatus.Forged, packets[0].OpenNext(opener));
        Assert.Equal(OpenStatus.Forged, packets[2].OpenNext(opener));
        Assert.Equal(OpenStatus.Forged, packets[3].OpenNext(opener)); // the first of the next key
        for (var i = 1; i < packets.Length; i++)
            Assert.Equal(OpenStatus.Ok, packets[i].OpenNext(opener));
    }

    [Fact]
    public void Nothing_is_sealed_or_opened_after_the_keys_are_gone()
    {
        var (sealer, opener) = MakePair();
        var packet = Packet.Seal(sealer, s_plain);
        sealer.Dispose();
        opener.Dispose();

        Assert.Equal(-1, sealer.Seal(s_plain, new byte[100], out _));
        Assert.Equal(OpenStatus.Closed, packet.Open(opener).Status);
    }

    [Fact]
    public void A_disposed_key_leaves_no_secret()
    {
        var key = new TrafficKey(_secret, 256);

        key.Dispose();

        Assert.Equal(new byte[TrafficKey.SecretSize], _secret);
    }

    [Fact]
    public void A_warm_connection_allocates_nothing_for_a_packet()
    {
        var (sealer, opener) = MakePair();
        var (packet, plain) = (new byte[36 + TrafficKey.TagSize], new byte[36]);

        Assert.Equal(0, Allocation.OfThousand(() =>
        {
            var epoch = (byte)sealer.Seal(s_plain, packet, out var number);
            if (opener.TryOpen(epoch, number, packet, plain) != OpenStatus.Ok)
                throw new InvalidOperationException("It did not open.");
        }));
    }

    private (PacketSealer Sealer, PacketOpener Opener) MakePair(int packetsPerKey = 1 << 20) =>
        (new PacketSealer(new TrafficKey([.. _secret], 256), packetsPerKey), new PacketOpener(new TrafficKey([.. _secret], 256)));
}
