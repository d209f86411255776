using System;
using System.Buffers;
using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>Packs and reads a packet, as it is and by AES-128-GCM. Each way returns the same checksum as the one without encryption.</summary>
public sealed class AesWays : IDisposable
{
    private const int KeyBits = 128;

    private readonly NewWays _ways;
    private readonly MessageWriter _writer = new();
    private readonly PacketSealer _sealer = new(MakeKey(), ProtectionOptions.MostPacketsPerKey);
    private readonly TrafficKey _key = MakeKey();
    private readonly byte[] _packet = new byte[4096];
    private readonly byte[] _message;
    private readonly byte[] _sealed;

    public AesWays(NewWays ways, CharacterList received)
    {
        _ways = ways;
        using var packed = _writer.Pack(received);
        _message = packed.Span.ToArray();
        _sealed = new byte[_message.Length + TrafficKey.TagSize];
        _key.Seal(0, _message, _sealed);
    }

    public long Pack<T>(MessageContract<T> contract, T packet)
    {
        using var packed = _writer.Pack(contract, packet);
        packed.Span.CopyTo(_packet);
        return packed.Length + packed.Span[^1];
    }

    public long PackAndSeal<T>(MessageContract<T> contract, T packet)
    {
        using var packed = _writer.Pack(contract, packet);
        if (_sealer.Seal(packed.Span, _packet, out _) < 0)
            throw new InvalidOperationException("Its keys are gone.");
        return packed.Length + packed.Span[^1];
    }

    public long Read() => _ways.Read(_message);

    /// <summary>By the key itself: what stands before it refuses a packet that comes twice, and so all but the first of these.</summary>
    public long OpenAndRead()
    {
        var rented = ArrayPool<byte>.Shared.Rent(_message.Length);
        if (!_key.TryOpen(0, _sealed, rented))
            throw new InvalidOperationException("It was sealed by another key.");
        var read = _ways.Read(rented.AsSpan(0, _message.Length));
        ArrayPool<byte>.Shared.Return(rented);
        return read;
    }

    public void Dispose()
    {
        _sealer.Dispose();
        _key.Dispose();
    }

    private static TrafficKey MakeKey() => new(RandomNumberGenerator.GetBytes(TrafficKey.SecretSize), KeyBits);
}
