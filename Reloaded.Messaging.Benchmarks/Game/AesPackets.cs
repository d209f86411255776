using System.Buffers;
using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>Packs and reads a packet, without encryption and with AES-128-GCM. Each method with encryption returns the same checksum as the method without.</summary>
public sealed class AesPackets : IDisposable
{
    private const int KeyBits = 128;

    private readonly LibraryGame _game;
    private readonly MessageWriter _writer = new();
    private readonly PacketSealer _sealer = new(MakeKey(), ProtectionOptions.MostPacketsPerKey);
    private readonly TrafficKey _key = MakeKey();
    private readonly byte[] _packet = new byte[4096];
    private readonly byte[] _message;
    private readonly byte[] _sealed;

    public AesPackets(LibraryGame game, CharacterList received)
    {
        _game = game;
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
            throw new InvalidOperationException("The sealer has no more keys.");
        return packed.Length + packed.Span[^1];
    }

    public long Read() => _game.Read(_message);

    /// <summary>Opens with the key directly, because the replay check would refuse every packet after the first one.</summary>
    public long OpenAndRead()
    {
        var rented = ArrayPool<byte>.Shared.Rent(_message.Length);
        if (!_key.TryOpen(0, _sealed, rented))
            throw new InvalidOperationException("The packet was sealed with another key.");
        var read = _game.Read(rented.AsSpan(0, _message.Length));
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
