using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Compression;

/// <summary>Payloads, and the blocks that compressors create from them.</summary>
internal static class LZ4Blocks
{
    /// <summary>Returns bytes that shrink, or random bytes that do not shrink.</summary>
    public static byte[] Payload(int size, bool random)
    {
        var payload = new byte[size];
        if (random)
            new Random(size).NextBytes(payload);
        else
            for (var i = 0; i < size; i++)
                payload[i] = (byte)(i / 7 % 50);
        return payload;
    }

    public static byte[] Compress(IMessageCompressor compressor, byte[] payload)
    {
        var destination = new byte[compressor.GetMaxCompressedSize(payload.Length)];
        Assert.True(compressor.TryCompress(payload, destination, out var written));
        return destination[..written];
    }

    /// <summary>Returns the block with one to three bytes replaced.</summary>
    public static byte[] Damage(byte[] block, Random random)
    {
        var damaged = block.ToArray();
        for (var flips = random.Next(1, 4); flips > 0; flips--)
            damaged[random.Next(damaged.Length)] = (byte)random.Next(random.Next(2) == 0 ? 256 : 2);
        return damaged;
    }

    /// <summary>Decompresses into a part of an array with old contents.</summary>
    /// <returns>The bytes, or <c>null</c>.</returns>
    public static byte[]? Decompress(IMessageCompressor compressor, ReadOnlySpan<byte> block, int size, byte stale = 0xEE)
    {
        var guarded = new byte[size + 128];
        Array.Fill(guarded, stale);
        var works = compressor.TryDecompress(block, guarded.AsSpan(64, size));
        Assert.Equal(-1, guarded.AsSpan(0, 64).IndexOfAnyExcept(stale));
        Assert.Equal(-1, guarded.AsSpan(64 + size).IndexOfAnyExcept(stale));
        return works ? guarded[64..(64 + size)] : null;
    }
}
