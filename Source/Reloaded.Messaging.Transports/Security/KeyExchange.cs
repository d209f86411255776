using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Negotiates the keys of a connection by an offer and its answer. docs/specification/wire-format.md defines the handshake as a pattern of Noise.</summary>
/// <remarks>An instance is the side of the client. An answer shows that the server has the token, and the private key if there is one. The first packet that opens shows the same of the client.</remarks>
internal sealed class KeyExchange : IDisposable
{
    public readonly ExchangeSettings Settings;

    private readonly SymmetricState _state;
    private readonly EphemeralKey _own;
    private readonly byte[] _message;

    public KeyExchange(ExchangeSettings settings)
    {
        Settings = settings;
        _state = settings.Begin();
        _own = new EphemeralKey(settings);
        _message = new byte[settings.AnswerSize];
        _own.Write(_message, settings, _state);
        if (settings.Options.ServerPoint.Length > 0)
            _own.Agree(settings.Options.ServerPoint, _state);
        _state.Seal(_message.AsSpan(StartAndKey(settings)));
    }

    /// <summary>Returns the first message of the client.</summary>
    /// <param name="carrier">The bytes that carry the offer and are covered by its MAC: over UDP, the random bytes and the cookie.</param>
    public byte[] MakeOffer(ReadOnlySpan<byte> carrier = default)
    {
        var offer = new byte[Settings.OfferSize];
        _message.CopyTo(offer, 0);
        Settings.WriteMac(carrier, _message, offer.AsSpan(_message.Length));
        return offer;
    }

    /// <summary>Processes an answer. A wrong answer changes nothing.</summary>
    /// <returns>The keys of the connection, or <see langword="null"/> if the sender does not have the token, or the private key of the server.</returns>
    public SessionKeys? TryFinish(ReadOnlySpan<byte> answer)
    {
        if (answer.Length != Settings.AnswerSize || !answer.StartsWith(Settings.Start) || !Settings.HasValidPoint(answer))
            return null;
        using var state = _state.Copy();
        var theirs = PublicKeyOf(answer, Settings);
        state.MixPublicKey(theirs);
        _own.Agree(theirs, state);
        return state.TryOpen(answer.Slice(StartAndKey(Settings))) ? MakeKeys(state, Settings.Options, isServer: false) : null;
    }

    /// <summary>Answers an offer, as the server.</summary>
    /// <param name="settings">The settings of the server.</param>
    /// <param name="offer">An offer with the start, the size and the MAC of the settings.</param>
    /// <param name="answer">Receives the answer to send.</param>
    /// <returns>The keys of the connection, or <see langword="null"/> if the offer is invalid. The client is authenticated by the first packet that opens.</returns>
    public static SessionKeys? TryAnswer(ExchangeSettings settings, ReadOnlySpan<byte> offer, out byte[] answer)
    {
        answer = [];
        if (!settings.HasValidPoint(offer))
            return null;
        using var state = settings.Begin();
        var theirs = PublicKeyOf(offer, settings);
        state.MixPublicKey(theirs);
        if (settings.Options.ServerPoint.Length > 0)
        {
            using var own = settings.Options.CreateServerKey();
            state.MixAgreement(own, theirs);
        }

        if (!state.TryOpen(offer.Slice(StartAndKey(settings), SymmetricState.TagSize)))
            return null;
        using var ephemeral = new EphemeralKey(settings);
        answer = new byte[settings.AnswerSize];
        ephemeral.Write(answer, settings, state);
        ephemeral.Agree(theirs, state);
        state.Seal(answer.AsSpan(StartAndKey(settings)));
        return MakeKeys(state, settings.Options, isServer: true);
    }

    public void Dispose()
    {
        _state.Dispose();
        _own.Dispose();
    }

    private static int StartAndKey(ExchangeSettings settings) => ExchangeSettings.StartSize + settings.PublicKeySize;

    private static ReadOnlySpan<byte> PublicKeyOf(ReadOnlySpan<byte> message, ExchangeSettings settings) => message.Slice(ExchangeSettings.StartSize, settings.PublicKeySize);

    private static SessionKeys MakeKeys(SymmetricState state, ProtectionOptions options, bool isServer)
    {
        var (toServer, toClient) = state.Split();
        var (sending, receiving) = isServer ? (toClient, toServer) : (toServer, toClient);
        return new SessionKeys(
            new PacketSealer(new TrafficKey(sending, options.KeyBits), options.MaxPacketsPerKey),
            new PacketOpener(new TrafficKey(receiving, options.KeyBits)));
    }

    /// <summary>The key of one side for one connection: a key pair, or random bytes if no keys are exchanged.</summary>
    private sealed class EphemeralKey : IDisposable
    {
        private readonly ECDiffieHellman? _pair;

        public EphemeralKey(ExchangeSettings settings)
        {
            if (settings.Options.ExchangesKeys)
                _pair = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
        }

        /// <summary>Writes the start and the public key of a message, and mixes the token <c>e</c>.</summary>
        public void Write(Span<byte> message, ExchangeSettings settings, SymmetricState state)
        {
            settings.Start.CopyTo(message);
            var publicKey = message.Slice(ExchangeSettings.StartSize, settings.PublicKeySize);
            if (_pair is null)
                RandomNumberGenerator.Fill(publicKey);
            else
                CurveKeys.GetPublicKey(_pair).CopyTo(publicKey);
            state.MixPublicKey(publicKey);
        }

        /// <summary>Mixes the agreement with a public key, if keys are exchanged.</summary>
        public void Agree(ReadOnlySpan<byte> theirs, SymmetricState state)
        {
            if (_pair is not null)
                state.MixAgreement(_pair, theirs);
        }

        public void Dispose() => _pair?.Dispose();
    }
}

/// <summary>The keys of a connection, one for each direction. Disposing zeroes them.</summary>
internal sealed class SessionKeys(PacketSealer sealer, PacketOpener opener) : IDisposable
{
    public readonly PacketSealer Sealer = sealer;

    public readonly PacketOpener Opener = opener;

    public void Dispose()
    {
        Sealer.Dispose();
        Opener.Dispose();
    }
}
