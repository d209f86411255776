using Reloaded.Messaging.Compression.LZ4;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Group <c>k4os</c>: LZ4 in managed code, compared with LZ4 through liblz4, each through the interface of compressors.</summary>
public sealed class K4osFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Block = 50;
    private const int AllocationCalls = 200; // calls with one block each: 10,000 messages

    private readonly LZ4Compressor _managed = new();
    private readonly NativeLZ4Compressor _native = new();

    public override string Method => "LZ4 in managed code is compared with LZ4 through liblz4. " + Race.Method;

    public override void Measure()
    {
        var payload = Samples.Bytes("example.remote.server.json");
        var packed = new byte[_native.GetMaxCompressedSize(payload.Length)];
        var target = new byte[payload.Length];
        var block = CompressOnce(_native, payload, packed);

        Compare("k4os.encode", compressor => Compress(compressor, payload, packed));
        Compare("k4os.decode", compressor => Decompress(compressor, block, target));
        Report("k4os.size", Figure.Bytes, [CompressOnce(_managed, payload, packed).Length]);
        Report("k4os.floor.size", Figure.Bytes, [block.Length]);
    }

    private static byte[] CompressOnce(IMessageCompressor compressor, byte[] payload, byte[] packed)
    {
        if (!compressor.TryCompress(payload, packed, out var written))
            throw new InvalidOperationException($"{compressor} cannot compress a payload into a buffer of the size that it requested.");
        return packed.AsSpan(0, written).ToArray();
    }

    /// <summary>Returns the size of the payload, because two compressors may create blocks of different sizes.</summary>
    private static long Compress(IMessageCompressor compressor, byte[] payload, byte[] packed)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
            sum += compressor.TryCompress(payload, packed, out _) ? payload.Length : 0;
        return sum;
    }

    private static long Decompress(IMessageCompressor compressor, byte[] block, byte[] target)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
            sum += compressor.TryDecompress(block, target) ? target[i] : 0;
        return sum;
    }

    private void Compare(string name, Func<IMessageCompressor, long> path)
    {
        var race = RunRace(name, Block, () => path(_native), () => path(_managed));
        Report($"{name}.ratio", "ratio", race.Ratios);
        Report($"{name}.floor.ns", "ns", race.Floor);
        Report($"{name}.ns", "ns", race.Measured);
        Report($"{name}.alloc", Figure.Bytes, [Race.Allocated(Block, AllocationCalls, () => path(_managed))], 0);
    }
}
