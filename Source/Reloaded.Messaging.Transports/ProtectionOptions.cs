using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Encrypts all traffic with AES-GCM. Each connection has new keys, one for each direction. Immutable.</summary>
/// <remarks>
/// Both sides need the same options. <c>docs/transports.md</c> describes the wire format, the derivation of the keys, and the limits of the protection.
/// </remarks>
public sealed class ProtectionOptions
{
    /// <summary>The minimum size of a secret, in bytes.</summary>
    public const int MinSecretSize = 16;

    /// <summary>The maximum number of packets encrypted with one key. With packets of up to 16 KiB this is 2^33 blocks, which is below the safe limit of AES-GCM.</summary>
    internal const int MostPacketsPerKey = 1 << 23;

    private readonly byte[] _serverPoint;
    private readonly byte[]? _pkcs8;

    private ProtectionOptions(KeyPattern pattern, int keyBits, ReadOnlyMemory<byte> secret = default, byte[]? serverPoint = null, byte[]? pkcs8 = null)
    {
        if (keyBits is not (128 or 256))
            throw new ArgumentOutOfRangeException(nameof(keyBits), keyBits, $"{keyBits} is out of range. A key has 128 or 256 bits.");
        (Pattern, KeyBits, Secret, _serverPoint, _pkcs8) = (pattern, keyBits, secret, serverPoint ?? [], pkcs8);
    }

    /// <summary>The size of the keys, in bits: 128 or 256.</summary>
    public int KeyBits { get; }

    /// <summary>The shared secret; empty if keys are exchanged.</summary>
    internal readonly ReadOnlyMemory<byte> Secret;

    /// <summary>Whether keys are exchanged with Diffie-Hellman.</summary>
    internal bool ExchangesKeys => Pattern != KeyPattern.Secret;

    internal readonly KeyPattern Pattern;

    /// <summary>The public key of the server; empty if the server has none.</summary>
    internal ReadOnlySpan<byte> ServerPoint => _serverPoint;

    /// <summary>Whether these are the options of a server with a key.</summary>
    internal bool HasPrivateKey => _pkcs8 is not null;

    internal int MaxPacketsPerKey { get; private set; } = MostPacketsPerKey / 2;

    /// <summary>Derives keys from a secret that both sides have. This is the cheapest protection. An attacker that learns the secret later can decrypt recorded traffic.</summary>
    /// <param name="secret">At least 16 random bytes, not a password. The bytes are copied.</param>
    /// <param name="keyBits">The size of the keys, in bits (128 or 256; default: 256).</param>
    /// <exception cref="ArgumentException">Thrown when the secret is shorter than 16 bytes.</exception>
    public static ProtectionOptions WithSecret(ReadOnlySpan<byte> secret, int keyBits = 256)
    {
        if (secret.Length < MinSecretSize)
            throw new ArgumentException($"The secret is {secret.Length} bytes long; the minimum is {MinSecretSize}. Create one with RandomNumberGenerator.GetBytes(32).", nameof(secret));
        return new ProtectionOptions(KeyPattern.Secret, keyBits, secret.ToArray());
    }

    /// <summary>Derives keys from a key exchange (ECDH on P-256), which requires <c>MessageHostOptions.Token</c> on both sides. An attacker that learns the token later cannot decrypt recorded traffic.</summary>
    /// <param name="keyBits">The size of the keys, in bits (128 or 256; default: 256).</param>
    public static ProtectionOptions WithToken(int keyBits = 256) => new(KeyPattern.Token, keyBits);

    /// <summary>Derives keys as <see cref="WithToken"/> does, and from the key of the server: a client that has the token cannot pose as the server. For clients.</summary>
    /// <param name="serverKey">The public key of the server in base64, as <c>reloaded-messaging key</c> prints it. It is not a secret.</param>
    /// <param name="keyBits">The size of the keys, in bits (128 or 256; default: 256).</param>
    /// <exception cref="ArgumentException">Thrown when the text is not a point of P-256 in base64.</exception>
    public static ProtectionOptions WithServerKey(string serverKey, int keyBits = 256)
    {
        ArgumentNullException.ThrowIfNull(serverKey);
        var point = new byte[CurvePoint.Size];
        if (!Convert.TryFromBase64String(serverKey, point, out var size) || size != point.Length || !CurvePoint.IsOnCurve(point))
            throw new ArgumentException($"'{serverKey}' is not a server key, which is the base64 of the {CurvePoint.Size} bytes of a point of P-256. Use the line that 'reloaded-messaging key FILE' prints.", nameof(serverKey));
        return new ProtectionOptions(KeyPattern.ServerKey, keyBits, default, point);
    }

    /// <summary>Derives keys as <see cref="WithServerKey"/> does. For the server alone: a client with the private key is refused, so that programs of players do not contain it.</summary>
    /// <param name="path">The path of a private key on P-256, as PKCS #8 in PEM. Only the server may read it.</param>
    /// <param name="keyBits">The size of the keys, in bits (128 or 256; default: 256).</param>
    /// <param name="createIfMissing">Whether to create the file if it does not exist, as <c>reloaded-messaging key</c> does (default: <see langword="false"/>). Only this user can read the new file; on Windows, the folder decides. Two processes that create it at once use the same key.</param>
    /// <exception cref="ArgumentException">Thrown when the file cannot be read, or does not contain such a key.</exception>
    /// <exception cref="System.IO.IOException">Thrown when the file cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">Thrown when this user may not create the file.</exception>
    /// <exception cref="PlatformNotSupportedException">Thrown when the system cannot create keys on P-256.</exception>
    public static ProtectionOptions WithServerKeyFile(string path, int keyBits = 256, bool createIfMissing = false)
    {
        CheckCurve();
        if (createIfMissing)
            CurveKeys.CreateFile(path);
        if (CurveKeys.TryReadFile(path, out var point, out var failure) is not { } pkcs8)
            throw new ArgumentException($"The file '{path}' {(failure is null ? "is not a private key on P-256 (PKCS #8 in PEM)" : $"cannot be read: {failure}")}. Create one with createIfMissing, or with 'reloaded-messaging key FILE'.", nameof(path));
        return new ProtectionOptions(KeyPattern.ServerKey, keyBits, default, point, pkcs8);
    }

    /// <summary>The public key of the server in base64, for <see cref="WithServerKey"/>; <see langword="null"/> if the server has none.</summary>
    public string? ServerKey => _serverPoint.Length > 0 ? Convert.ToBase64String(_serverPoint) : null;

    /// <summary>Returns the private key of the server. The caller disposes it.</summary>
    internal ECDiffieHellman CreateServerKey() => CurveKeys.Import(_pkcs8!);

    /// <summary>Describes a remote side that did not prove that it is the server.</summary>
    internal string DescribeWrongProof(string remoteName) => $"{remoteName} did not prove that it has {Pattern switch
    {
        KeyPattern.Secret => "the secret of ProtectionOptions.WithSecret",
        KeyPattern.Token => "the token",
        _ => $"the token and the private key that belongs to the server key {ServerKey}",
    }}. Another program may pose as the server.";

    /// <summary>Returns the same options with another limit for key rotation, in packets.</summary>
    internal ProtectionOptions RotatingAfter(int packets)
    {
        var copy = (ProtectionOptions)MemberwiseClone();
        copy.MaxPacketsPerKey = Guard.Between(1, MostPacketsPerKey, packets, nameof(packets));
        return copy;
    }

    /// <exception cref="PlatformNotSupportedException">Thrown when the system cannot create keys on P-256.</exception>
    internal static void CheckCurve()
    {
        if (!CurveKeys.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "This system cannot create keys on the curve P-256, which ProtectionOptions.WithToken and WithServerKey require; Wine and Mono cannot. Use ProtectionOptions.WithSecret on both sides.");
        }
    }
}

/// <summary>The pattern of a key exchange, as the bits of its mode.</summary>
internal enum KeyPattern
{
    /// <summary>A pre-shared key and random bytes.</summary>
    Secret = 0x08,

    /// <summary><c>NNpsk0</c>.</summary>
    Token = 0x10,

    /// <summary><c>NKpsk0</c>.</summary>
    ServerKey = 0x18,
}
