using System;
using System.Security.Cryptography;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

/// <summary>Two sides that came by their keys.</summary>
internal sealed class Exchanged : IDisposable
{
    public Exchanged(ProtectionOptions? options = null, byte[]? shared = null)
    {
        shared ??= RandomNumberGenerator.GetBytes(32);
        options ??= ProtectionOptions.WithSecret(shared);
        using var client = new KeyExchange(options, shared, isDatagrams: false);
        using var server = new KeyExchange(options, shared, isDatagrams: false);
        Server = server.TryAnswer(client.Offer.Span, out var answer)!;
        Client = client.TryFinish(answer, out var proof)!;
        Assert.True(server.IsProof(proof));
        (Offer, Answer, Proof) = (client.Offer.ToArray(), answer, proof);
    }

    public SessionKeys Server { get; }

    public SessionKeys Client { get; }

    public byte[] Offer { get; }

    public byte[] Answer { get; }

    public byte[] Proof { get; }

    public void Dispose()
    {
        Server.Dispose();
        Client.Dispose();
    }
}
