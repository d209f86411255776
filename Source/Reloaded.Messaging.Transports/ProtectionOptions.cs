using System;
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

    private ProtectionOptions(ReadOnlyMemory<byte> secret, int keyBits)
    {
        if (keyBits is not (128 or 256))
            throw new ArgumentOutOfRangeException(nameof(keyBits), keyBits, $"{keyBits} is out of range. A key has 128 or 256 bits.");
        Secret = secret;
        KeyBits = keyBits;
    }

    /// <summary>The size of the keys, in bits: 128 or 256.</summary>
    public int KeyBits { get; }

    /// <summary>The shared secret; empty if keys are exchanged.</summary>
    internal readonly ReadOnlyMemory<byte> Secret;

    /// <summary>Whether keys are exchanged with Diffie-Hellman.</summary>
    internal bool ExchangesKeys => Secret.IsEmpty;

    internal int MaxPacketsPerKey { get; private init; } = MostPacketsPerKey / 2;

    /// <summary>Derives keys from a secret that both sides have. This is the cheapest protection. An attacker that learns the secret later can decrypt recorded traffic.</summary>
    /// <param name="secret">At least 16 random bytes, not a password. The bytes are copied.</param>
    /// <param name="keyBits">The size of the keys, in bits (128 or 256; default: 256).</param>
    /// <exception cref="ArgumentException">Thrown when the secret is shorter than 16 bytes.</exception>
    public static ProtectionOptions WithSecret(ReadOnlySpan<byte> secret, int keyBits = 256)
    {
        if (secret.Length < MinSecretSize)
            throw new ArgumentException($"The secret is {secret.Length} bytes long; the minimum is {MinSecretSize}. Create one with RandomNumberGenerator.GetBytes(32).", nameof(secret));
        return new ProtectionOptions(secret.ToArray(), keyBits);
    }

    /// <summary>Derives keys from a key exchange (ECDH on P-256), which requires <c>MessageHostOptions.Token</c> on both sides. An attacker that learns the token later cannot decrypt recorded traffic.</summary>
    /// <param name="keyBits">The size of the keys, in bits (128 or 256; default: 256).</param>
    public static ProtectionOptions WithToken(int keyBits = 256) => new(default, keyBits);

    /// <summary>Returns the same options with another limit for key rotation, in packets.</summary>
    internal ProtectionOptions RotatingAfter(int packets) =>
        new(Secret, KeyBits) { MaxPacketsPerKey = Guard.Between(1, MostPacketsPerKey, packets, nameof(packets)) };

    /// <summary>Returns the input of the key derivation, in addition to random bytes: the secret or the token.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the token is shorter than the minimum size of a secret.</exception>
    /// <exception cref="PlatformNotSupportedException">Thrown when the runtime does not support AES-GCM, or when keys are to be exchanged and the system cannot create keys on P-256.</exception>
    internal ReadOnlyMemory<byte> GetSecret(TransportContext context)
    {
        if (!AesGcm.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "This runtime does not support AES-GCM, which MessageHostOptions.Protection requires. Use TlsOptions over TCP, or use neither option and connect only on this machine.");
        }

        if (!ExchangesKeys)
            return Secret;
        if (context.Token.Length < MinSecretSize)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.Token is {context.Token.Length} bytes long; ProtectionOptions.WithToken needs at least {MinSecretSize}. Create one with RandomNumberGenerator.GetBytes(32).");
        }

        if (!CurveKeys.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "This system cannot create keys on the curve P-256, which ProtectionOptions.WithToken requires; Wine and Mono cannot. Use ProtectionOptions.WithSecret on both sides.");
        }

        return context.Token;
    }
}

/// <summary>The keys of an exchange, which are on the curve P-256.</summary>
internal static class CurveKeys
{
    private static readonly Lazy<bool> s_isSupported = new(CanCreateKeys);

    /// <summary>Whether this system can create the keys of an exchange. The first call creates a key.</summary>
    public static bool IsSupported => s_isSupported.Value;

    private static bool CanCreateKeys()
    {
        try
        {
            using var key = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
            return key.ExportParameters(includePrivateParameters: false).Q.X is not null;
        }
        catch (Exception e) when (e is CryptographicException or PlatformNotSupportedException or NotImplementedException)
        {
            return false;
        }
    }
}
