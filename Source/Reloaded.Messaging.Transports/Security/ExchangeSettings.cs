using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The values that a host computes once for all its key exchanges. Immutable.</summary>
/// <remarks>
/// <code>
/// offer   00 "RP" 01 · mode · e · tag, 16 bytes · MAC, 16 bytes
/// answer  00 "RP" 01 · mode · e · tag, 16 bytes
/// </code>
/// No frame begins with zero, so a host without protection refuses an offer at once. The MAC depends on the token and on the key of the server. It is checked before any other work.
/// </remarks>
[SuppressMessage("Design", "CA1001", Justification = "The values live as long as the host, as its token does.")]
internal sealed class ExchangeSettings
{
    /// <summary>The number of bytes that identify the kind of protection.</summary>
    public const int StartSize = 5;

    /// <summary>The mode with which a server refuses a wrong MAC.</summary>
    public const byte RefusalMode = 0xFF;

    public const int MacSize = 16;

    private const int RandomSize = 32;
    private const int PatternBits = 0x18;

    private readonly byte[] _start;
    private readonly byte[] _macKey = new byte[KeyDerivation.Size];
    private readonly SymmetricState _begun;

    /// <param name="options">The protection. Both sides need the same.</param>
    /// <param name="shared">The secret or the token.</param>
    /// <param name="isDatagrams">Whether the packets are datagrams. Streams have different keys.</param>
    public ExchangeSettings(ProtectionOptions options, ReadOnlySpan<byte> shared, bool isDatagrams)
    {
        Options = options;
        _start = [.. Magic, (byte)((int)options.Pattern | (options.KeyBits == 256 ? 2 : 0) | (isDatagrams ? 4 : 0))];
        Span<byte> keys = stackalloc byte[2 * KeyDerivation.Size];
        var extracted = keys.Slice(0, KeyDerivation.Size);
        var preShared = keys.Slice(KeyDerivation.Size);
        KeyDerivation.Extract(shared, "Reloaded.Messaging"u8, extracted);
        KeyDerivation.Expand(extracted, "psk"u8, preShared);
        KeyDerivation.Expand(extracted, [.. "mac"u8, .. options.ServerPoint], _macKey);
        _begun = new SymmetricState(options.Pattern switch
        {
            KeyPattern.Secret => "Reloaded_psk0_AESGCM_SHA256"u8,
            KeyPattern.Token => "Noise_NNpsk0_P256_AESGCM_SHA256"u8,
            _ => "Noise_NKpsk0_P256_AESGCM_SHA256"u8,
        });
        _begun.MixHash(_start);
        if (options.ServerPoint.Length > 0)
            _begun.MixHash(options.ServerPoint);
        _begun.MixKeyAndHash(preShared);
        CryptographicOperations.ZeroMemory(keys);
    }

    /// <summary>Returns the values of all key exchanges of a host, or <see langword="null"/> without protection.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the token is shorter than the minimum size of a secret, or a server lacks its private key, or a client has it.</exception>
    /// <exception cref="PlatformNotSupportedException">Thrown when the runtime does not support AES-GCM, or when keys are to be exchanged and the system cannot create keys on P-256.</exception>
    public static ExchangeSettings? Prepare(TransportContext context, bool isDatagrams, bool isServer)
    {
        if (context.Protection is not { } options)
            return null;
        if (!AesGcm.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "This runtime does not support AES-GCM, which MessageHostOptions.Protection requires. Use TlsOptions over TCP, or use neither option and connect only on this machine.");
        }

        if (!options.ExchangesKeys)
            return new ExchangeSettings(options, options.Secret.Span, isDatagrams);
        if (context.Token.Length < ProtectionOptions.MinSecretSize)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.Token is {context.Token.Length} bytes long; {Describe((byte)options.Pattern)} needs at least {ProtectionOptions.MinSecretSize}. Create one with RandomNumberGenerator.GetBytes(32).");
        }

        ProtectionOptions.CheckCurve();
        if (options.ServerKey is { } key && options.HasPrivateKey != isServer)
            throw new InvalidOperationException($"The server, and no client, has the private key of {key}. Use ProtectionOptions.WithServerKeyFile on the server, and WithServerKey on its clients.");
        return new ExchangeSettings(options, context.Token.Span, isDatagrams);
    }

    private static ReadOnlySpan<byte> Magic => [0, (byte)'R', (byte)'P', 1];

    public readonly ProtectionOptions Options;

    /// <summary>The first bytes of an offer and of an answer, which specify the kind of protection.</summary>
    public ReadOnlySpan<byte> Start => _start;

    /// <summary>The answer of a server to an offer with a wrong MAC.</summary>
    public static byte[] Refusal => [.. Magic, RefusalMode];

    public int PublicKeySize => Options.ExchangesKeys ? CurvePoint.Size : RandomSize;

    public int AnswerSize => StartSize + PublicKeySize + SymmetricState.TagSize;

    /// <summary>The size of an offer, in bytes. A side stores no more than this for an unauthenticated sender.</summary>
    public int OfferSize => AnswerSize + MacSize;

    /// <summary>Returns the state after the prologue, the key of the server and the token <c>psk</c>.</summary>
    public SymmetricState Begin() => _begun.Copy();

    /// <summary>Returns whether bytes begin like an offer of some kind of protection.</summary>
    public static bool IsStartOfAnyKind(ReadOnlySpan<byte> start) => start.StartsWith(Magic);

    /// <summary>Returns whether bytes have the start and the size of an offer of the same kind of protection.</summary>
    public bool IsOffer(ReadOnlySpan<byte> offer) => offer.Length == OfferSize && offer.StartsWith(_start);

    /// <summary>Returns whether the sender of an offer knows the token, and the key of the server if there is one. The comparison takes constant time.</summary>
    /// <param name="carrier">The bytes that carry the offer and are covered by the MAC: over UDP, the random bytes and the cookie.</param>
    /// <param name="offer">The offer.</param>
    public bool HasValidMac(ReadOnlySpan<byte> carrier, ReadOnlySpan<byte> offer)
    {
        Span<byte> expected = stackalloc byte[MacSize];
        WriteMac(carrier, offer.Slice(0, AnswerSize), expected);
        return CryptographicOperations.FixedTimeEquals(expected, offer.Slice(AnswerSize));
    }

    /// <summary>Writes the MAC of an offer.</summary>
    public void WriteMac(ReadOnlySpan<byte> carrier, ReadOnlySpan<byte> message, Span<byte> mac)
    {
        Span<byte> code = stackalloc byte[KeyDerivation.Size];
        HMACSHA256.HashData(_macKey, [.. carrier, .. message], code);
        code.Slice(0, MacSize).CopyTo(mac);
    }

    /// <summary>Returns whether the public key of an offer or an answer is on the curve, without creating a key. Returns <see langword="true"/> if no keys are exchanged.</summary>
    public bool HasValidPoint(ReadOnlySpan<byte> message) => !Options.ExchangesKeys || CurvePoint.IsOnCurve(message.Slice(StartSize, CurvePoint.Size));

    /// <summary>Describes a mode, as the object of a sentence.</summary>
    public static string Describe(byte mode) => (KeyPattern)(mode & PatternBits) switch
    {
        KeyPattern.Secret => "ProtectionOptions.WithSecret",
        KeyPattern.Token => "ProtectionOptions.WithToken",
        KeyPattern.ServerKey => "ProtectionOptions.WithServerKey",
        _ => "the key exchange of an earlier version",
    };
}
