namespace Reloaded.Messaging;

/// <summary>Exchanges keys over a stream. Reads exactly the bytes of the exchange, and stores only a fixed number of bytes for an unauthenticated side.</summary>
internal static class StreamExchange
{
    /// <exception cref="TransportClosedException">Thrown when the sides did not agree on keys. The exception contains the reason.</exception>
    public static Task<SessionKeys> RunAsync(TransportChannel channel, ExchangeSettings settings, bool isServer) =>
        isServer ? AnswerAsync(channel, settings) : AskAsync(channel, settings);

    private static async Task<SessionKeys> AskAsync(TransportChannel channel, ExchangeSettings settings)
    {
        using var exchange = new KeyExchange(settings);
        await channel.SendAsync(exchange.MakeOffer(), default).ConfigureAwait(false);
        var answer = await ReceiveAsync(channel, settings, settings.AnswerSize, isServer: false).ConfigureAwait(false);
        return exchange.TryFinish(answer) ?? throw Refuse(settings.Options.DescribeWrongProof(channel.RemoteName));
    }

    private static async Task<SessionKeys> AnswerAsync(TransportChannel channel, ExchangeSettings settings)
    {
        var offer = await ReceiveAsync(channel, settings, settings.OfferSize, isServer: true).ConfigureAwait(false);
        if (!settings.HasValidMac(default, offer)) // before any operation on the curve, which is far more expensive
        {
            await channel.SendAsync(ExchangeSettings.Refusal, default).ConfigureAwait(false);
            throw Differ(channel);
        }

        var keys = KeyExchange.TryAnswer(settings, offer, out var answer) ?? throw Differ(channel);
        try
        {
            await channel.SendAsync(answer, default).ConfigureAwait(false);
            return keys;
        }
        catch
        {
            keys.Dispose();
            throw;
        }
    }

    /// <summary>Receives an offer or an answer. If the other side uses another protocol, receives only the bytes that identify it.</summary>
    /// <remarks>A server answers an offer of another kind of protection with its own start. Without these bytes, the client could not tell a refusal from a server that was ended.</remarks>
    private static async Task<byte[]> ReceiveAsync(TransportChannel channel, ExchangeSettings settings, int size, bool isServer)
    {
        var bytes = new byte[size];
        await FillAsync(channel, bytes.AsMemory(0, ExchangeSettings.StartSize)).ConfigureAwait(false);
        if (!bytes.AsSpan().StartsWith(settings.Start))
        {
            var (mode, isOfAnyKind) = (bytes[ExchangeSettings.StartSize - 1], ExchangeSettings.IsStartOfAnyKind(bytes));
            if (!isOfAnyKind || mode == ExchangeSettings.RefusalMode)
                throw Differ(channel);
            if (isServer)
                await channel.SendAsync(settings.Start.ToArray(), default).ConfigureAwait(false);
            throw Refuse(
                $"{channel.RemoteName} uses {ExchangeSettings.Describe(mode)}, and this side uses {ExchangeSettings.Describe((byte)settings.Options.Pattern)} with keys of {settings.Options.KeyBits} bits. " +
                "Give the MessageHostOptions of both sides the same Protection, and update the older side.");
        }

        await FillAsync(channel, bytes.AsMemory(ExchangeSettings.StartSize)).ConfigureAwait(false);
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

    private static TransportClosedException Differ(TransportChannel channel) =>
        Refuse($"{channel.RemoteName} uses another secret, token or server key, or no protection. Give the MessageHostOptions of both sides the same Protection and the same Token.");

    private static TransportClosedException Refuse(string message) => new(TransportCloseReason.WrongProtection, message);
}
