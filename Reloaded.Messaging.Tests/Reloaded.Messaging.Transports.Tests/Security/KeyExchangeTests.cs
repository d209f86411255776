using System;
using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

public sealed class KeyExchangeTests
{
    private static readonly byte[] s_shared = RandomNumberGenerator.GetBytes(32);

    public static TheoryData<bool, int> Kinds => new() { { false, 128 }, { false, 256 }, { true, 128 }, { true, 256 } };

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Both_sides_come_to_the_same_keys_and_each_direction_has_its_own(bool exchanges, int keyBits)
    {
        using var exchanged = new Exchanged(Make(exchanges, keyBits), s_shared);
        var plain = new byte[] { 1, 2, 3 };

        var up = Packet.Seal(exchanged.Client.Sealer, plain);
        var down = Packet.Seal(exchanged.Server.Sealer, plain);

        Assert.Equal(up.Number, down.Number);
        Assert.NotEqual(up.Bytes, down.Bytes);
        Assert.Equal(plain, up.Opened(exchanged.Server.Opener));
        Assert.Equal(plain, down.Opened(exchanged.Client.Opener));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_same_number_under_the_same_secret_is_never_encrypted_twice_alike(bool exchanges, int keyBits)
    {
        var packets = Enumerable.Range(0, 20).Select(_ =>
        {
            using var exchanged = new Exchanged(Make(exchanges, keyBits), s_shared); // as after a restart
            return Convert.ToHexString(Packet.Seal(exchanged.Client.Sealer, [1, 2, 3]).Bytes);
        });

        Assert.Equal(20, packets.Distinct().Count());
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_offer_that_is_said_again_gets_other_keys(bool exchanges, int keyBits)
    {
        var options = Make(exchanges, keyBits);
        using var first = new Exchanged(options, s_shared);
        using var server = new KeyExchange(options, s_shared, isDatagrams: false);

        using var keys = server.TryAnswer(first.Offer, out var answer);

        Assert.NotEqual(first.Answer, answer);
        Assert.False(server.IsProof(first.Proof));
        Assert.Equal(OpenStatus.Forged, Packet.Seal(first.Client.Sealer, [1]).Open(keys!.Opener).Status);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Who_does_not_know_the_secret_is_found_out_by_both(bool exchanges, int keyBits)
    {
        var (ours, theirs) = (s_shared, RandomNumberGenerator.GetBytes(32));
        using var client = new KeyExchange(Make(exchanges, keyBits, theirs), theirs, isDatagrams: false);
        using var server = new KeyExchange(Make(exchanges, keyBits, ours), ours, isDatagrams: false);
        using var keys = server.TryAnswer(client.Offer.Span, out var answer);

        Assert.Null(client.TryFinish(answer, out var proof));

        Assert.Equal(new byte[KeyExchange.ProofSize], proof);
        Assert.False(server.IsProof(proof));
        Assert.False(server.IsProof(answer.AsSpan(answer.Length - KeyExchange.ProofSize))); // its own, sent back
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_answer_with_any_byte_altered_is_refused(bool exchanges, int keyBits)
    {
        var options = Make(exchanges, keyBits);
        for (var i = 0; i < KeyExchange.AnswerSizeOf(options); i++)
        {
            using var client = new KeyExchange(options, s_shared, isDatagrams: false);
            using var server = new KeyExchange(options, s_shared, isDatagrams: false);
            using var keys = server.TryAnswer(client.Offer.Span, out var answer);
            answer[i] ^= 0x40;
            Assert.Null(client.TryFinish(answer, out _));
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_offer_with_any_byte_altered_is_refused_or_gets_keys_that_fit_nobodys(bool exchanges, int keyBits)
    {
        var options = Make(exchanges, keyBits);
        using var client = new KeyExchange(options, s_shared, isDatagrams: false);
        for (var i = 0; i < client.Offer.Length; i++)
        {
            using var server = new KeyExchange(options, s_shared, isDatagrams: false);
            var offer = client.Offer.ToArray();
            offer[i] ^= 1;
            using var keys = server.TryAnswer(offer, out var answer);
            Assert.True(keys is null || client.TryFinish(answer, out _) is null);
        }
    }

    [Fact]
    public void A_point_that_is_not_on_the_curve_is_refused()
    {
        using var server = new KeyExchange(ExchangedKeys.WithToken(), s_shared, isDatagrams: false);
        using var client = new KeyExchange(ExchangedKeys.WithToken(), s_shared, isDatagrams: false);
        var offer = client.Offer.ToArray();
        offer.AsSpan(37).Clear();

        Assert.Null(server.TryAnswer(offer, out _));
    }

    [Fact]
    public void Another_kind_of_protection_is_told_by_the_offer()
    {
        var offer = new KeyExchange(ProtectionOptions.WithSecret(s_shared), s_shared, isDatagrams: false).Offer.Span;

        Assert.True(KeyExchange.IsOffer(offer, ProtectionOptions.WithSecret(s_shared), isDatagrams: false));
        Assert.False(KeyExchange.IsOffer(offer, ProtectionOptions.WithSecret(s_shared), isDatagrams: true));
        Assert.False(KeyExchange.IsOffer(offer, ProtectionOptions.WithSecret(s_shared, 128), isDatagrams: false));
        Assert.False(KeyExchange.IsOffer(offer, ProtectionOptions.WithToken(), isDatagrams: false));
        Assert.False(KeyExchange.IsOffer(offer[..^1], ProtectionOptions.WithSecret(s_shared), isDatagrams: false));
    }

    [Fact]
    public void A_secret_that_is_too_short_and_keys_of_another_size_are_refused()
    {
        var tooShort = Assert.Throws<ArgumentException>(() => ProtectionOptions.WithSecret(new byte[15]));
        Assert.Contains("15 bytes", tooShort.Message, StringComparison.Ordinal);
        Assert.Contains("16", tooShort.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => ProtectionOptions.WithSecret(new byte[16], 192));
        Assert.Throws<ArgumentOutOfRangeException>(() => ProtectionOptions.WithToken().RotatingAfter((1 << 23) + 1));

        var noToken = Assert.Throws<InvalidOperationException>(() => ProtectionOptions.WithToken().GetSecret(new TransportContext { Token = new byte[3] }));
        Assert.Contains("3 bytes", noToken.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void GetSecret_of_exchanged_keys_accepts_a_token_of_16_bytes() =>
        Assert.Equal(16, ExchangedKeys.WithToken().GetSecret(new TransportContext { Token = new byte[16] }).Length);

    private static ProtectionOptions Make(bool exchanges, int keyBits, byte[]? secret = null) =>
        exchanges ? ExchangedKeys.WithToken(keyBits) : ProtectionOptions.WithSecret(secret ?? s_shared, keyBits);
}
