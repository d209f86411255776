using Reloaded.Messaging.Compression.LZ4;
using Xunit;

namespace Reloaded.Messaging.Tests.Wire;

public sealed class CompressedPayloadTests
{
    public static TheoryData<string, string, DispatchStatus, string> Vectors { get; } = Read();

    [Theory]
    [MemberData(nameof(Vectors))]
    public void A_documented_message_gets_its_status_and_its_payload(string hex, string compressor, DispatchStatus expected, string payload)
    {
        var dispatcher = new MessageDispatcher<List<byte[]>>();
        dispatcher.Register<ReadOnlyMemory<byte>>(
            new(3, new RawSerializer(), Policy(compressor)),
            static (in ReadOnlyMemory<byte> message, ref List<byte[]> got) => got.Add(message.ToArray()));

        var got = new List<byte[]>();
        Assert.Equal(expected, dispatcher.Dispatch(WireFormatPage.Bytes(hex), ref got));
        if (expected == DispatchStatus.Handled)
            Assert.Equal(WireFormatPage.Bytes(payload), Assert.Single(got));
        else
            Assert.Empty(got);
    }

    private static CompressionOptions? Policy(string compressor) => compressor switch
    {
        "lz4" => new CompressionOptions(new LZ4Compressor()),
        "brotli" => new CompressionOptions(new BrotliCompressor()),
        "none" => null,
        _ => throw new ArgumentOutOfRangeException(nameof(compressor), compressor, "not a documented compressor"),
    };

    private static TheoryData<string, string, DispatchStatus, string> Read()
    {
        var data = new TheoryData<string, string, DispatchStatus, string>();
        foreach (var row in WireFormatPage.Table("Compressed payload vectors"))
            data.Add(row[0], row[1], Enum.Parse<DispatchStatus>(row[2]), row[3]);
        return data;
    }
}
