using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>How what is sent is encrypted: AES-GCM, by keys that are new for each connection and each direction. Immutable.</summary>
/// <remarks>
/// Both sides need the same. What is on the wire, how keys are made and what this does not protect from is in <c>docs/transports.md</c>.
/// </remarks>
public sealed class ProtectionOptions
{
    /// <summary>The shortest secret, in bytes.</summary>
    public const int MinSecretSize = 16;

    /// <summary>At most so many packets by one key: with packets of up to 16 KiB that is 2^33 blocks, below what AES-GCM bears.</summary>
    internal const int MostPacketsPerKey = 1 << 23;

    private ProtectionOptions(ReadOnlyMemory<byte> secret, int keyBits)
    {
        if (keyBits is not (128 or 256))
            throw new ArgumentOutOfRangeException(nameof(keyBits), keyBits, $"{keyBits} is out of range: keys have 128 or 256 bits.");
        Secret = secret;
        KeyBits = keyBits;
    }

    /// <summary>The size of the keys: 128 or 256.</summary>
    public int KeyBits { get; }

    /// <summary>Empty where keys are exchanged.</summary>
    internal ReadOnlyMemory<byte> Secret { get; }

    /// <summary>Whether keys are exchanged by Diffie-Hellman.</summary>
    internal bool ExchangesKeys => Secret.IsEmpty;

    internal int MaxPacketsPerKey { get; private init; } = MostPacketsPerKey / 2;

    /// <summary>Keys from a secret that both sides have. The cheapest; who learns the secret later can read what was recorded before.</summary>
    /// <param name="secret">At least 16 random bytes, not a password. Copied.</param>
    /// <param name="keyBits">128 or 256.</param>
    /// <exception cref="ArgumentException">The secret is shorter.</exception>
    public static ProtectionOptions WithSecret(ReadOnlySpan<byte> secret, int keyBits = 256)
    {
        if (secret.Length < MinSecretSize)
            throw new ArgumentException($"The secret is {secret.Length} bytes long, and has to be {MinSecretSize} at least. Make one by RandomNumberGenerator.GetBytes(32).", nameof(secret));
        return new ProtectionOptions(secret.ToArray(), keyBits);
    }

    /// <summary>Keys from an exchange (ECDH on P-256) that only who knows <c>MessageHostOptions.Token</c> can take part in. Who learns the token later reads nothing of before.</summary>
    /// <param name="keyBits">128 or 256.</param>
    public static ProtectionOptions WithToken(int keyBits = 256) => new(default, keyBits);

    /// <summary>The same with another limit for the rotation of keys, in packets.</summary>
    internal ProtectionOptions RotatingAfter(int packets) => packets is >= 1 and <= MostPacketsPerKey
        ? new ProtectionOptions(Secret, KeyBits) { MaxPacketsPerKey = packets }
        : throw new ArgumentOutOfRangeException(nameof(packets), packets, $"{packets} is out of range: a key is used for 1 to {MostPacketsPerKey} packets.");

    /// <summary>What keys are made of besides randoms: the secret, or the token.</summary>
    /// <exception cref="InvalidOperationException">The token is shorter than a secret may be.</exception>
    /// <exception cref="PlatformNotSupportedException">The runtime has no AES-GCM.</exception>
    internal ReadOnlyMemory<byte> GetSecret(TransportContext context)
    {
        if (!AesGcm.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "This runtime has no AES-GCM, by which MessageHostOptions.Protection encrypts. Use TlsOptions over TCP, or leave both out and stay on this machine.");
        }

        if (!ExchangesKeys)
            return Secret;
        if (context.Token.Length < MinSecretSize)
        {
            throw new InvalidOperationException(
                $"MessageHostOptions.Token is {context.Token.Length} bytes long, and ProtectionOptions.WithToken takes one of {MinSecretSize} at least. Make one by RandomNumberGenerator.GetBytes(32).");
        }

        return context.Token;
    }
}
