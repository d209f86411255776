using System;
using System.Globalization;
using System.Numerics;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Negotiates the keys of a connection: an offer, an answer with the proof of the server, and the proof of the client.</summary>
/// <remarks>
/// <code>
/// offer   00 "RP" 01 · mode · 32 random bytes · [64 bytes: a point of P-256]
/// answer  the same fields, of the server · proof of the server, 32 bytes
/// proof   proof of the client, 32 bytes; zeros: the proof of the server was wrong
/// </code>
/// No frame begins with zero, so a host without protection refuses an offer at once. The hash of the offer and the answer salts the key extraction from the secret, or from exchange and token, and so affects every
/// key. The proofs show that both sides have derived the same key. Over UDP, the client sends no proof: its first sealed packet shows that it has the keys.
/// </remarks>
internal sealed class KeyExchange : IDisposable
{
    public const int ProofSize = 32;

    /// <summary>The number of bytes that identify the kind of protection.</summary>
    public const int StartSize = 5;

    private const int RandomSize = 32;
    private const int CoordinateSize = 32;
    private const int PointSize = 2 * CoordinateSize;

    private static ReadOnlySpan<byte> Magic => [0, (byte)'R', (byte)'P', 1];

    private readonly ProtectionOptions _options;
    private readonly ReadOnlyMemory<byte> _shared;
    private readonly byte[] _start;
    private readonly ECDiffieHellman? _own;
    private readonly byte[] _ours;
    private readonly byte[] _expectedProof = new byte[ProofSize];

    /// <param name="options">The protection. Both sides need the same.</param>
    /// <param name="shared">The secret or the token.</param>
    /// <param name="isDatagrams">Whether the packets are datagrams. Streams have different keys.</param>
    public KeyExchange(ProtectionOptions options, ReadOnlyMemory<byte> shared, bool isDatagrams)
    {
        _options = options;
        _shared = shared;
        _start = StartOf(options, isDatagrams);
        _ours = new byte[OfferSizeOf(options)];
        _start.CopyTo(_ours, 0);
        RandomNumberGenerator.Fill(_ours.AsSpan(_start.Length, RandomSize));
        if (!options.ExchangesKeys)
            return;
        _own = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
        var point = _own.ExportParameters(includePrivateParameters: false).Q;
        point.X!.CopyTo(_ours, _start.Length + RandomSize);
        point.Y!.CopyTo(_ours, _start.Length + RandomSize + CoordinateSize);
    }

    /// <summary>Returns the size of an offer, in bytes. A side stores no more than this for an unauthenticated sender.</summary>
    public static int OfferSizeOf(ProtectionOptions options) => StartSize + RandomSize + (options.ExchangesKeys ? PointSize : 0);

    /// <summary>Returns the size of an answer, in bytes.</summary>
    public static int AnswerSizeOf(ProtectionOptions options) => OfferSizeOf(options) + ProofSize;

    /// <summary>Returns whether bytes have the start and the size of an offer of the same kind of protection.</summary>
    public static bool IsOffer(ReadOnlySpan<byte> offer, ProtectionOptions options, bool isDatagrams) =>
        offer.Length == OfferSizeOf(options) && IsStart(offer.Slice(0, StartSize), options, isDatagrams);

    /// <summary>Returns whether the point of an offer or an answer is on the curve, without creating a key. Returns <see langword="true"/> if no points are exchanged.</summary>
    /// <param name="said">The offer, or the answer without its proof, for the same kind of protection.</param>
    /// <param name="options">The protection.</param>
    public static bool HasValidPoint(ReadOnlySpan<byte> said, ProtectionOptions options)
    {
        if (!options.ExchangesKeys)
            return true;
        var point = said.Slice(StartSize + RandomSize, PointSize);
        return CurvePoint.IsOnCurve(point.Slice(0, CoordinateSize), point.Slice(CoordinateSize));
    }

    /// <summary>Returns whether the first <see cref="StartSize"/> bytes of an offer or an answer specify the same kind of protection.</summary>
    public static bool IsStart(ReadOnlySpan<byte> start, ProtectionOptions options, bool isDatagrams) => start.SequenceEqual(StartOf(options, isDatagrams));

    /// <summary>Returns whether bytes begin like an offer of some kind of protection.</summary>
    public static bool IsStartOfAnyKind(ReadOnlySpan<byte> start) => start.StartsWith(Magic);

    /// <summary>The first message of the client.</summary>
    public ReadOnlyMemory<byte> Offer => _ours;

    /// <summary>Answers an offer.</summary>
    /// <param name="offer">The offer of the client.</param>
    /// <param name="answer">Receives the answer to send.</param>
    /// <returns>The keys of the connection, which are not trusted before <see cref="IsProof"/>; <see langword="null"/> if the bytes are not an offer of the same kind.</returns>
    public SessionKeys? TryAnswer(ReadOnlySpan<byte> offer, out byte[] answer)
    {
        answer = new byte[_ours.Length + ProofSize];
        _ours.CopyTo(answer, 0);
        return TryMakeKeys(offer, offer, _ours, answer.AsSpan(_ours.Length), _expectedProof, isServer: true);
    }

    /// <summary>Processes the answer of the server.</summary>
    /// <param name="answer">The answer of the server.</param>
    /// <param name="proof">Receives the proof to send: zeros if the answer was wrong.</param>
    /// <returns>The keys of the connection, or <see langword="null"/> if the server does not know the secret.</returns>
    public SessionKeys? TryFinish(ReadOnlySpan<byte> answer, out byte[] proof)
    {
        proof = new byte[ProofSize];
        if (answer.Length != _ours.Length + ProofSize)
            return null;
        var theirs = answer.Slice(0, _ours.Length);
        var keys = TryMakeKeys(theirs, _ours, theirs, _expectedProof, proof, isServer: false);
        if (keys is null || CryptographicOperations.FixedTimeEquals(answer.Slice(_ours.Length), _expectedProof))
            return keys;
        keys.Dispose();
        proof.AsSpan().Clear();
        return null;
    }

    /// <summary>Returns whether the client proved that it knows the secret. The comparison takes constant time.</summary>
    public bool IsProof(ReadOnlySpan<byte> proof) => CryptographicOperations.FixedTimeEquals(proof, _expectedProof);

    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_expectedProof);
        _own?.Dispose();
    }

    /// <summary>Returns the first bytes of an offer and of an answer, which specify the kind of protection.</summary>
    public static byte[] StartOf(ProtectionOptions options, bool isDatagrams) =>
        [.. Magic, (byte)((options.ExchangesKeys ? 1 : 0) | (options.KeyBits == 256 ? 2 : 0) | (isDatagrams ? 4 : 0))];

    private SessionKeys? TryMakeKeys(ReadOnlySpan<byte> theirs, ReadOnlySpan<byte> offer, ReadOnlySpan<byte> answer, Span<byte> serverProof, Span<byte> clientProof, bool isServer)
    {
        if (theirs.Length != _ours.Length || !theirs.StartsWith(_start) || !HasValidPoint(theirs, _options))
            return null;

        Span<byte> said = stackalloc byte[SHA256.HashSizeInBytes];
        using (var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256))
        {
            hash.AppendData(offer);
            hash.AppendData(answer);
            hash.GetHashAndReset(said);
        }

        Span<byte> key = stackalloc byte[KeyDerivation.Size];
        Extract(theirs, said, key);
        Prove(key, "server proof"u8, said, serverProof);
        Prove(key, "client proof"u8, said, clientProof);
        var (toServer, toClient) = (new byte[TrafficKey.SecretSize], new byte[TrafficKey.SecretSize]);
        KeyDerivation.Expand(key, "client to server"u8, toServer);
        KeyDerivation.Expand(key, "server to client"u8, toClient);
        CryptographicOperations.ZeroMemory(key);
        var (sending, receiving) = isServer ? (toClient, toServer) : (toServer, toClient);
        return new SessionKeys(
            new PacketSealer(new TrafficKey(sending, _options.KeyBits), _options.MaxPacketsPerKey),
            new PacketOpener(new TrafficKey(receiving, _options.KeyBits)));
    }

    private static void Prove(ReadOnlySpan<byte> key, ReadOnlySpan<byte> role, ReadOnlySpan<byte> said, Span<byte> proof)
    {
        Span<byte> proofKey = stackalloc byte[KeyDerivation.Size];
        KeyDerivation.Expand(key, role, proofKey);
        HMACSHA256.HashData(proofKey, said, proof);
        CryptographicOperations.ZeroMemory(proofKey);
    }

    private void Extract(ReadOnlySpan<byte> theirs, ReadOnlySpan<byte> salt, Span<byte> key)
    {
        if (_own is null)
        {
            KeyDerivation.Extract(_shared.Span, salt, key);
            return;
        }

        var point = theirs.Slice(StartSize + RandomSize);
        using var other = ECDiffieHellman.Create(new ECParameters
        {
            Curve = ECCurve.NamedCurves.nistP256,
            Q = new ECPoint { X = point.Slice(0, CoordinateSize).ToArray(), Y = point.Slice(CoordinateSize).ToArray() },
        });
        using var publicKey = other.PublicKey;
        KeyAgreement.Extract(_own, publicKey, _shared.Span, salt, key);
    }
}

/// <summary>Checks points of the curve P-256 without creating a key. Points are public, so the duration of a check reveals no secret.</summary>
internal static class CurvePoint
{
    // SP 800-186, section 3.2.1.3: y^2 = x^3 - 3x + b, modulo p.
    private static readonly BigInteger s_p = Parse("0FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF");
    private static readonly BigInteger s_b = Parse("05AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B");

    /// <summary>Returns whether both coordinates are in range and satisfy the equation of the curve.</summary>
    /// <param name="x">The x-coordinate: 32 bytes, big-endian.</param>
    /// <param name="y">The y-coordinate: 32 bytes, big-endian.</param>
    public static bool IsOnCurve(ReadOnlySpan<byte> x, ReadOnlySpan<byte> y)
    {
        var (left, right) = (new BigInteger(x, isUnsigned: true, isBigEndian: true), new BigInteger(y, isUnsigned: true, isBigEndian: true));
        if (left >= s_p || right >= s_p)
            return false;
        return ((right * right) - (((left * left) - 3) * left) - s_b) % s_p == 0;
    }

    private static BigInteger Parse(string hex) => BigInteger.Parse(hex, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
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
