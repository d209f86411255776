using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Exchanges keys over a stream. Reads exactly the bytes of the exchange, and stores only a fixed number of bytes for an unauthenticated side.</summary>
internal static class StreamExchange
{
    /// <exception cref="TransportClosedException">Thrown when the sides did not agree on keys. The exception contains the reason.</exception>
    public static Task<SessionKeys> RunAsync(TransportChannel channel, ProtectionOptions options, ReadOnlyMemory<byte> shared, bool isServer) =>
        isServer ? AnswerAsync(channel, options, shared) : AskAsync(channel, options, shared);

    private static async Task<SessionKeys> AskAsync(TransportChannel channel, ProtectionOptions options, ReadOnlyMemory<byte> shared)
    {
        using var exchange = new KeyExchange(options, shared, isDatagrams: false);
        await channel.SendAsync(exchange.Offer, default).ConfigureAwait(false);
        var answer = await ReceiveAsync(channel, KeyExchange.AnswerSizeOf(options), options, isServer: false).ConfigureAwait(false);
        var keys = exchange.TryFinish(answer, out var proof);
        try
        {
            await channel.SendAsync(proof, default).ConfigureAwait(false); // zeros report a wrong answer to the server
        }
        catch
        {
            keys?.Dispose();
            throw;
        }

        return keys ?? throw Refuse(channel);
    }

    private static async Task<SessionKeys> AnswerAsync(TransportChannel channel, ProtectionOptions options, ReadOnlyMemory<byte> shared)
    {
        var offer = await ReceiveAsync(channel, KeyExchange.OfferSizeOf(options), options, isServer: true).ConfigureAwait(false);
        if (!KeyExchange.HasValidPoint(offer, options))
            throw Refuse(channel); // before a key pair is created, which is far more expensive
        using var exchange = new KeyExchange(options, shared, isDatagrams: false);
        if (exchange.TryAnswer(offer, out var answer) is not { } keys)
            throw Refuse(channel);
        try
        {
            await channel.SendAsync(answer, default).ConfigureAwait(false);
            var proof = new byte[KeyExchange.ProofSize];
            await FillAsync(channel, proof).ConfigureAwait(false);
            return exchange.IsProof(proof) ? keys : throw Refuse(channel);
        }
        catch
        {
            keys.Dispose();
            throw;
        }
    }

    /// <summary>Receives an offer or an answer. If the other side uses another protocol, receives only the bytes that identify it.</summary>
    /// <remarks>A server answers an offer of another kind of protection with its own start. Without these bytes, the client could not tell a refusal from a server that was ended.</remarks>
    private static async Task<byte[]> ReceiveAsync(TransportChannel channel, int size, ProtectionOptions options, bool isServer)
    {
        var bytes = new byte[size];
        await FillAsync(channel, bytes.AsMemory(0, KeyExchange.StartSize)).ConfigureAwait(false);
        if (!KeyExchange.IsStart(bytes.AsSpan(0, KeyExchange.StartSize), options, isDatagrams: false))
        {
            if (isServer && KeyExchange.IsStartOfAnyKind(bytes))
                await channel.SendAsync(KeyExchange.StartOf(options, isDatagrams: false), default).ConfigureAwait(false);
            throw Refuse(channel);
        }

        await FillAsync(channel, bytes.AsMemory(KeyExchange.StartSize)).ConfigureAwait(false);
        return bytes;
    }

    private static async Task FillAsync(TransportChannel channel, Memory<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            var received = await channel.ReceiveAsync(bytes, default).ConfigureAwait(false);
            if (received == 0)
                throw new TransportClosedException($"{channel.RemoteName} closed the connection during the key exchange. Is it being stopped? If this repeats, give the MessageHostOptions of both sides the same Protection.");
            bytes = bytes.Slice(received);
        }
    }

    private static TransportClosedException Refuse(TransportChannel channel) => new(
        TransportCloseReason.WrongProtection,
        $"{channel.RemoteName} uses another protection, another secret, or no protection. Give the MessageHostOptions of both sides the same Protection.");
}
