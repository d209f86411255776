using System.Security.Cryptography;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>Two sides that came by their keys.</summary>
internal sealed class Exchanged : IDisposable
{
    public Exchanged(ProtectionOptions? options = null, byte[]? shared = null)
    {
        shared ??= RandomNumberGenerator.GetBytes(32);
        var settings = new ExchangeSettings(options ?? ProtectionOptions.WithSecret(shared), shared, isDatagrams: false);
        using var client = new KeyExchange(settings);
        Offer = client.MakeOffer();
        Assert.True(settings.HasValidMac(default, Offer));
        Server = KeyExchange.TryAnswer(settings, Offer, out var answer)!;
        Client = client.TryFinish(answer)!;
        Answer = answer;
    }

    public SessionKeys Server { get; }

    public SessionKeys Client { get; }

    public byte[] Offer { get; }

    public byte[] Answer { get; }

    public void Dispose()
    {
        Server.Dispose();
        Client.Dispose();
    }
}
