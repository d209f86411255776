using System.Text;
using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>What the receiver under attack has registered: each serializer without and with each compressor, short types and extended ones.</summary>
internal sealed class HostileTargets
{
    public const int MaxMessageSize = 4096;
    public const int MaxDecompressedSize = 16384;

    private static readonly Position[] s_positions = [new(1, 2, 3, 4), default, new(float.NaN, -1, 1e9f, -7)];
    private static readonly Grid[] s_grids = [new(0), new(-3)];
    private static readonly Profile[] s_profiles = [new() { Name = "Ada" }, Rich(3), Rich(30)];
    private static readonly string[] s_texts = ["", "hello", "gr\u00fc\u00dfe \u4f60\u597d \U0001F600", new('x', 300)];
    private static readonly string[] s_longTexts = [new('x', 300), string.Concat(Repeated("\u4f60\u597d, ", 60)), new('y', MaxDecompressedSize)];
    private static readonly ReadOnlyMemory<byte>[] s_bytes = [new byte[] { 1, 2, 3 }, ReadOnlyMemory<byte>.Empty, new byte[200]];
    private static readonly ReadOnlyMemory<byte>[] s_longBytes = [new byte[400], Encoding.UTF8.GetBytes(string.Concat(Repeated("ABCDEFG-", 100)))];

    public HostileTargets(ReadCounter counter)
    {
        var brotli = new CompressionOptions(new BrotliCompressor(), threshold: 200);
        var lz4 = new CompressionOptions(new LZ4Compressor(), threshold: 200);

        CountingSerializer<T> Count<T>(IMessageSerializer<T> serializer) => new(serializer, counter);
        var grid = Count(new BlittableSerializer<Grid>());
        var json = Count(new JsonMessageSerializer<Profile>(ProfileContext.Default.Profile));
        var raw = Count(new RawSerializer());
        var text = Count(new Utf8TextSerializer());

        All =
        [
            new HostileTarget<Position>(new(1, new BlittableSerializer<Position>()), s_positions),
            new HostileTarget<Position>(new(2, Count(new BlittableSerializer<Position>())), s_positions),
            new HostileTarget<Grid>(new(3, grid, brotli), s_grids, weight: 2),
            new HostileTarget<Grid>(new(4, grid, lz4), s_grids),
            new HostileTarget<Profile>(new(5, json), s_profiles, weight: 1),
            new HostileTarget<Profile>(new(6, json, brotli), s_profiles, weight: 1),
            new HostileTarget<Profile>(new(7, json, lz4), s_profiles, weight: 1),
            new HostileTarget<ReadOnlyMemory<byte>>(new(8, raw), s_bytes),
            new HostileTarget<ReadOnlyMemory<byte>>(new(9, raw, brotli), s_longBytes, weight: 2),
            new HostileTarget<ReadOnlyMemory<byte>>(new(10, raw, lz4), s_longBytes),
            new HostileTarget<string>(new(11, text), s_texts),
            new HostileTarget<string>(new(12, text, brotli), s_longTexts, weight: 2),
            new HostileTarget<string>(new(126, text, lz4), s_longTexts),
            new HostileTarget<Position>(new(127, new BlittableSerializer<Position>()), s_positions),
            new HostileTarget<Profile>(new(300, json), s_profiles, weight: 1),
            new HostileTarget<string>(new(70_000, text, lz4), s_longTexts, weight: 2),
            new HostileTarget<ReadOnlyMemory<byte>>(new(uint.MaxValue, raw, brotli), s_longBytes, weight: 2),
            new HostileTarget<string>(new(13, text), s_texts, weight: 2, isAsync: true),
        ];
    }

    public static MessageLimits Limits { get; } = new() { MaxMessageSize = MaxMessageSize, MaxDecompressedSize = MaxDecompressedSize };

    public List<HostileTarget> All { get; }

    private static Profile Rich(int items)
    {
        var profile = new Profile { Name = "Grace \"the\" Hopper \u00e9", Level = 99, Spawn = [1.5, -2, 1e-9], Rival = new Profile { Name = "Ada" }, Items = [] };
        for (var i = 0; i < items; i++)
            profile.Items.Add($"item {i}", i * 1000);
        return profile;
    }

    private static string[] Repeated(string text, int times)
    {
        var parts = new string[times];
        Array.Fill(parts, text);
        return parts;
    }
}
