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

        using var keys = KeyExchange.TryAnswer(Settings(options), first.Offer, out var answer);

        Assert.NotEqual(first.Answer, answer);
        Assert.Equal(OpenStatus.Forged, Packet.Seal(first.Client.Sealer, [1]).Open(keys!.Opener).Status);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Client_without_the_secret_is_refused_by_its_MAC_and_cannot_be_deceived(bool exchanges, int keyBits)
    {
        var theirs = RandomNumberGenerator.GetBytes(32);
        using var client = new KeyExchange(new ExchangeSettings(Make(exchanges, keyBits, theirs), theirs, isDatagrams: false));
        var server = Settings(Make(exchanges, keyBits));
        var offer = client.MakeOffer();

        Assert.True(server.IsOffer(offer));
        Assert.False(server.HasValidMac(default, offer));
        Assert.Null(KeyExchange.TryAnswer(server, offer, out _));
        using var right = new Exchanged(Make(exchanges, keyBits), s_shared);
        Assert.Null(client.TryFinish(right.Answer));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_answer_with_any_byte_altered_is_refused(bool exchanges, int keyBits)
    {
        var settings = Settings(Make(exchanges, keyBits));
        using var client = new KeyExchange(settings);
        using var keys = KeyExchange.TryAnswer(settings, client.MakeOffer(), out var answer);
        for (var i = 0; i < answer.Length; i++)
        {
            answer[i] ^= 0x40;
            Assert.Null(client.TryFinish(answer));
            answer[i] ^= 0x40;
        }

        using var finished = client.TryFinish(answer); // the wrong answers changed nothing
        Assert.NotNull(finished);
        Assert.Null(client.TryFinish([.. answer, 0]));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void An_offer_with_any_byte_altered_is_refused(bool exchanges, int keyBits)
    {
        var settings = Settings(Make(exchanges, keyBits));
        using var client = new KeyExchange(settings);
        var carrier = new byte[] { 1, 2, 3 };
        var offer = client.MakeOffer(carrier);
        Assert.True(settings.HasValidMac(carrier, offer));
        for (var i = 0; i < offer.Length; i++)
        {
            var altered = (byte[])offer.Clone();
            altered[i] ^= 1;
            Assert.False(settings.HasValidMac(carrier, altered));
            if (i is >= ExchangeSettings.StartSize && i < settings.AnswerSize)
                Assert.Null(KeyExchange.TryAnswer(settings, altered, out _));
        }

        Assert.False(settings.HasValidMac([1, 2, 4], offer));
    }

    [Fact]
    public void A_point_that_is_not_on_the_curve_is_refused()
    {
        var settings = Settings(ExchangedKeys.WithToken());
        using var client = new KeyExchange(settings);
        var offer = client.MakeOffer();
        offer.AsSpan(ExchangeSettings.StartSize, CurvePoint.Size).Clear();

        Assert.Null(KeyExchange.TryAnswer(settings, offer, out _));
    }

    [Fact]
    public void Another_kind_of_protection_is_told_by_the_offer()
    {
        using var exchange = new KeyExchange(Settings(ProtectionOptions.WithSecret(s_shared)));
        var offer = exchange.MakeOffer();

        Assert.True(Settings(ProtectionOptions.WithSecret(s_shared)).IsOffer(offer));
        Assert.False(new ExchangeSettings(ProtectionOptions.WithSecret(s_shared), s_shared, isDatagrams: true).IsOffer(offer));
        Assert.False(Settings(ProtectionOptions.WithSecret(s_shared, 128)).IsOffer(offer));
        Assert.False(Settings(ProtectionOptions.WithToken()).IsOffer(offer));
        Assert.False(Settings(ProtectionOptions.WithSecret(s_shared)).IsOffer(offer.AsSpan()[..^1]));
    }

    [Fact]
    public void A_secret_that_is_too_short_and_keys_of_another_size_are_refused()
    {
        var tooShort = Assert.Throws<ArgumentException>(() => ProtectionOptions.WithSecret(new byte[15]));
        Assert.Contains("15 bytes", tooShort.Message, StringComparison.Ordinal);
        Assert.Contains("16", tooShort.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => ProtectionOptions.WithSecret(new byte[16], 192));
        Assert.Throws<ArgumentOutOfRangeException>(() => ProtectionOptions.WithToken().RotatingAfter((1 << 23) + 1));

        var noToken = Assert.Throws<InvalidOperationException>(() => ExchangeSettings.Prepare(new TransportContext { Token = new byte[3], Protection = ProtectionOptions.WithToken() }, isDatagrams: false, isServer: true));
        Assert.Contains("3 bytes", noToken.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Exchange_with_a_token_of_16_bytes_is_accepted() =>
        Assert.NotNull(ExchangeSettings.Prepare(new TransportContext { Token = new byte[16], Protection = ExchangedKeys.WithToken() }, isDatagrams: false, isServer: true));

    private static ExchangeSettings Settings(ProtectionOptions options) => new(options, s_shared, isDatagrams: false);

    private static ProtectionOptions Make(bool exchanges, int keyBits, byte[]? secret = null) =>
        exchanges ? ExchangedKeys.WithToken(keyBits) : ProtectionOptions.WithSecret(secret ?? s_shared, keyBits);
}
