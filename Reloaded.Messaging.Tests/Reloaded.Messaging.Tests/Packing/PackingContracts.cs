using System.Linq;
using System.Runtime.InteropServices;
using ModLoader;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>The contracts that tests of packing share, and content that shows whose it is.</summary>
internal static class PackingContracts
{
    public static readonly MessageContract<Position> Position = new(3, new BlittableSerializer<Position>());
    public static readonly MessageContract<Large> Large = new(11, new BlittableSerializer<Large>());
    public static readonly MessageContract<ReadOnlyMemory<byte>> Bytes = new(4, new RawSerializer());
    public static readonly MessageContract<string> Text = new(5, new Utf8TextSerializer());
    public static readonly MessageContract<ModConfig> Config = new(6, new JsonMessageSerializer<ModConfig>(ModConfigContext.Default.ModConfig));
    public static readonly MessageContract<Position> SecretPosition = new(7, new BlittableSerializer<Position>(), isSecret: true);
    public static readonly MessageContract<ReadOnlyMemory<byte>> Secret = new(8, new RawSerializer(), isSecret: true);
    public static readonly MessageContract<ReadOnlyMemory<byte>> SecretCompressed =
        new(9, new RawSerializer(), new CompressionOptions(new BrotliCompressor()), isSecret: true);
    public static readonly MessageContract<ReadOnlyMemory<byte>> Compressed = new(10, new RawSerializer(), new CompressionOptions(new BrotliCompressor()));

    public static byte[] Filled(int size, byte value) => [.. Enumerable.Repeat(value, size)];

    public static byte[] Random(int size, int seed)
    {
        var bytes = new byte[size];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    /// <summary>More than 100 KB of JSON.</summary>
    public static ModConfig BigConfig() => new()
    {
        ModId = "example.big",
        ModDependencies = [.. Enumerable.Range(0, 4000).Select(i => $"example.dependency.number.{i}")],
    };

    public static byte[] ArrayOf(PackedMessage packed) => ArrayOf(packed.Memory);

    public static byte[] ArrayOf(ReadOnlyMemory<byte> memory) =>
        MemoryMarshal.TryGetArray(memory, out var segment) ? segment.Array! : throw new InvalidOperationException("This memory is not an array's.");
}
