using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>The files of docs/vectors about protection against the library.</summary>
public sealed class ProtectionVectorTests
{
    [Fact]
    public void Exchanges_are_those_of_the_formulas()
    {
        ExchangedKeys.AssertSupported();
        ProtectionVectors.MakeExchanges().AssertApproved();
    }

    [Fact]
    public void Records_are_those_of_the_library() => ProtectionVectors.MakeRecords().AssertApproved();

    [Theory]
    [InlineData(0x08, false, 128, false)]
    [InlineData(0x08, false, 256, true)]
    [InlineData(0x10, true, 256, false)]
    [InlineData(0x10, true, 128, true)]
    [InlineData(0x18, true, 256, true)]
    [InlineData(0x18, true, 256, false)]
    public void Formulas_give_the_keys_that_the_library_gives(int pattern, bool exchanges, int keyBits, bool isDatagrams)
    {
        if (exchanges)
            ExchangedKeys.AssertSupported();
        using var file = exchanges ? new ServerKeyFile(NoiseFormulas.PrivateKey(3)) : null;
        var (shared, carrier) = (NoiseFormulas.Shared, isDatagrams ? ProtectionVectors.Carrier : []);
        var client = new ExchangeSettings(Options(pattern, keyBits, shared, file, isServer: false), shared, isDatagrams);
        using var exchange = new KeyExchange(client);
        var offer = exchange.MakeOffer(carrier);
        Assert.Equal(pattern | (keyBits == 256 ? 2 : 0) | (isDatagrams ? 4 : 0), offer[4]);
        var formulas = NoiseFormulas.Respond(offer, shared, carrier);

        using var keys = exchange.TryFinish(formulas.Answer);
        Assert.NotNull(keys);
        AssertSame(keys, formulas.ToServer, formulas.ToClient, keyBits);

        var fixedKeys = NoiseFormulas.Make(offer[4], shared, carrier);
        var server = new ExchangeSettings(Options(pattern, keyBits, shared, file, isServer: true), shared, isDatagrams);
        Assert.True(server.IsOffer(fixedKeys.Offer));
        Assert.True(server.HasValidMac(carrier, fixedKeys.Offer));
        using var answered = KeyExchange.TryAnswer(server, fixedKeys.Offer, out _);
        Assert.NotNull(answered);
    }

    private static ProtectionOptions Options(int pattern, int keyBits, byte[] shared, ServerKeyFile? file, bool isServer) => pattern switch
    {
        0x08 => ProtectionOptions.WithSecret(shared, keyBits),
        0x10 => ProtectionOptions.WithToken(keyBits),
        _ => isServer ? ProtectionOptions.WithServerKeyFile(file!.Path, keyBits) : ProtectionOptions.WithServerKey(file!.PublicKey, keyBits),
    };

    private static void AssertSame(SessionKeys keys, byte[] sending, byte[] receiving, int keyBits)
    {
        var (sent, expected) = (new byte[3 + TrafficKey.TagSize], new byte[3 + TrafficKey.TagSize]);
        keys.Sealer.Seal([1, 2, 3], sent, out _);
        using var toServer = new TrafficKey(sending, keyBits);
        toServer.Seal(0, [1, 2, 3], expected);
        Assert.Equal(expected, sent);
        using var toClient = new TrafficKey(receiving, keyBits);
        toClient.Seal(0, [1, 2, 3], expected);
        Assert.Equal(OpenStatus.Ok, keys.Opener.TryOpenNext(0, expected, new byte[3]));
    }
}
