using System.Text.Json.Nodes;
using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Wire;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>Makes the vectors of uvarints, headers, frames, batches and compressed payloads: the library's verdicts on the bytes of docs/specification/wire-format.md.</summary>
internal static class WireVectors
{
    private const int Limit = 1 << 20;

    public static VectorFile MakeUVarints()
    {
        var file = new VectorFile("uvarints", "Uvarints. status: Ok, Truncated or BadVarint. value: the number, if Ok; all bytes belong to it.");
        foreach (var bytes in Column("Valid uvarints", "Malformed uvarints"))
        {
            var status = UVarint.TryRead(bytes, out var value, out _);
            file.Add(Describe(bytes), new JsonObject { ["bytes"] = VectorFile.Hex(bytes), ["status"] = status.ToString(), ["value"] = status == HeaderStatus.Ok ? value : null });
        }

        return file;
    }

    public static VectorFile MakeHeaders()
    {
        var file = new VectorFile("headers", "Messages. status: the verdict on the header. kind: 0 event, 1 request, 2 reply, 3 fault, 4 control. size: the payload's size after decompression; null if the payload is plain.");
        foreach (var bytes in Column("Valid headers", "Malformed headers"))
        {
            var status = MessageHeader.TryRead(bytes, out var header, out var size);
            var one = new JsonObject { ["bytes"] = VectorFile.Hex(bytes), ["status"] = status.ToString() };
            if (status == HeaderStatus.Ok)
            {
                one["type"] = header.Type;
                one["kind"] = (int)header.Kind;
                one["correlation"] = header.CorrelationId;
                one["size"] = header.IsCompressed ? header.DecompressedSize : null;
                one["payload"] = VectorFile.Hex(bytes.AsSpan(size));
            }

            file.Add(Describe(bytes), one);
        }

        return file;
    }

    public static VectorFile MakeFrames()
    {
        var file = new VectorFile("frames", "The first frame of a stream. status: Ok, Incomplete, Malformed or TooLarge, with the given limit. rest: the bytes after the frame; the whole stream if there is no message.");
        foreach (var bytes in Column("Frame vectors"))
        {
            ReadOnlySpan<byte> rest = bytes;
            var status = Frame.TryRead(ref rest, Limit, out var message);
            file.Add(Describe(bytes), new JsonObject
            {
                ["stream"] = VectorFile.Hex(bytes),
                ["limit"] = Limit,
                ["status"] = status.ToString(),
                ["message"] = status == FrameStatus.Ok ? VectorFile.Hex(message) : null,
                ["rest"] = VectorFile.Hex(rest),
            });
        }

        return file;
    }

    public static VectorFile MakeBatches()
    {
        var file = new VectorFile("batches", "All frames of a stream. status: the verdict after the last message, with the given limit. rest: the bytes after the last message.");
        foreach (var bytes in Column("Batch vectors"))
        {
            ReadOnlySpan<byte> rest = bytes;
            var messages = new JsonArray();
            FrameStatus status;
            while ((status = Frame.TryRead(ref rest, Limit, out var message)) == FrameStatus.Ok)
                messages.Add(VectorFile.Hex(message));
            file.Add(Describe(bytes), new JsonObject { ["stream"] = VectorFile.Hex(bytes), ["limit"] = Limit, ["messages"] = messages, ["status"] = status.ToString(), ["rest"] = VectorFile.Hex(rest) });
        }

        return file;
    }

    public static VectorFile MakeCompression()
    {
        var file = new VectorFile("compression", "Messages to a receiver whose only handler is for type 3, with a contract of the named compressor and a limit of 1048576 bytes. payload: after decompression, if Handled.");
        foreach (var row in WireFormatPage.Table("Compressed payload vectors"))
        {
            var bytes = WireFormatPage.Bytes(row[0]);
            var dispatcher = new MessageDispatcher<List<byte[]>>();
            dispatcher.Register<ReadOnlyMemory<byte>>(
                new(3, new RawSerializer(), row[1] switch { "lz4" => new CompressionOptions(new LZ4Compressor()), "brotli" => new CompressionOptions(new BrotliCompressor()), _ => null }),
                static (in ReadOnlyMemory<byte> message, ref List<byte[]> got) => got.Add(message.ToArray()));
            var got = new List<byte[]>();
            var status = dispatcher.Dispatch(bytes, ref got);
            file.Add($"{Describe(bytes)}, {row[1]}", new JsonObject
            {
                ["bytes"] = VectorFile.Hex(bytes),
                ["compressor"] = row[1],
                ["status"] = status.ToString(),
                ["payload"] = got.Count > 0 ? VectorFile.Hex(got[0]) : null,
            });
        }

        return file;
    }

    private static List<byte[]> Column(params string[] headings)
    {
        var bytes = new List<byte[]>();
        foreach (var heading in headings)
        {
            foreach (var row in WireFormatPage.Table(heading))
                bytes.Add(WireFormatPage.Bytes(row[0]));
        }

        return bytes;
    }

    private static string Describe(byte[] bytes) => bytes.Length == 0 ? "no bytes" : BitConverter.ToString(bytes).Replace('-', ' ');
}
