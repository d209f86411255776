using System;
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
    [InlineData(false, 128, false)]
    [InlineData(false, 256, true)]
    [InlineData(true, 256, false)]
    [InlineData(true, 128, true)]
    public void Formulas_give_the_keys_that_the_library_gives(bool exchanges, int keyBits, bool isDatagrams)
    {
        var shared = ProtectionVectors.Shared;
        var options = exchanges ? ExchangedKeys.WithToken(keyBits) : ProtectionOptions.WithSecret(shared, keyBits);
        using var client = new KeyExchange(options, shared, isDatagrams);
        var server = ProtectionVectors.Respond(client.Offer.Span, shared);

        using var keys = client.TryFinish(server.Answer, out var proof);

        Assert.NotNull(keys);
        Assert.Equal(server.ClientProof, proof);
        var (sent, expected) = (new byte[3 + TrafficKey.TagSize], new byte[3 + TrafficKey.TagSize]);
        keys.Sealer.Seal([1, 2, 3], sent, out _);
        using var toServer = new TrafficKey(server.ToServer, keyBits);
        toServer.Seal(0, [1, 2, 3], expected);
        Assert.Equal(expected, sent);
        using var toClient = new TrafficKey(server.ToClient, keyBits);
        toClient.Seal(0, [1, 2, 3], expected);
        Assert.Equal(OpenStatus.Ok, keys.Opener.TryOpenNext(0, expected, new byte[3]));
    }
}
