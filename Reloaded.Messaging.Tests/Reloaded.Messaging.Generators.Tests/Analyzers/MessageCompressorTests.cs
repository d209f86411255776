using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageCompressorTests
{
    private const string Compressors = """

        public class Base : IMessageCompressor
        {
            public string Name => "";
            public int GetMaxCompressedSize(int size) => size;
            public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> target, out int written) { written = 0; return false; }
            public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> target) => false;
        }
        public class NoDefault : Base { public NoDefault(int level) { } }
        public abstract class Abstract : Base { }
        public class Open<T> : Base { public Open(int level = 3) { } }
        public class Own : Base { private Own() { } }
        public struct Struct : IMessageCompressor
        {
            public string Name => "";
            public int GetMaxCompressedSize(int size) => size;
            public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> target, out int written) { written = 0; return false; }
            public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> target) => false;
        }
        """;

    [Theory]
    [InlineData("typeof(int)")]
    [InlineData("typeof(int[])")]
    [InlineData("typeof(IMessageCompressor)")]
    [InlineData("typeof(NoDefault)")]
    [InlineData("typeof(Abstract)")]
    [InlineData("typeof(Open<>)")]
    [InlineData("typeof(Own)")]
    public Task A_type_that_is_no_compressor_is_reported(string compressor) =>
        Contract.Expect("RM1011", $"[Message(Compressor = {compressor})] public class [|M|] {{ }}" + Compressors);

    [Theory]
    [InlineData("typeof(BrotliCompressor)")]
    [InlineData("typeof(Open<int>)")]
    [InlineData("typeof(Struct)")]
    [InlineData("null")]
    public Task A_compressor_is_not(string compressor) => Contract.Accept($"[Message(Compressor = {compressor})] public class M {{ }}" + Compressors);

    [Fact]
    public Task A_compressor_that_generated_code_cannot_reach_is_reported() =>
        Contract.Expect("RM1011", "public class Outer { private class Hidden : Base { } [Message(Compressor = typeof(Hidden))] public class [|M|] { } }" + Compressors);
}
