using System.Diagnostics.CodeAnalysis;
using System.Text;
using Reloaded.Messaging;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>Compiles and runs the serializer and the compressor of docs/packing.md.</summary>
public sealed class SerializersPageTests
{
    [Fact]
    public void Serializer_of_the_page_round_trips_and_refuses_bad_text()
    {
        Version? received = null;
        var dispatcher = new MessageDispatcher<int>();
        var state = 0;
        new MessageContract<Version>(60, new VersionSerializer()).Declare();
        dispatcher.Register<Version>((in version, ref _) => received = version);
        using var packed = new MessageWriter().Pack(new Version(1, 2, 3));
        using var bad = new MessageWriter().PackRaw(new MessageHeader(60), "1.x"u8);

        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref state));
        Assert.Equal(new Version(1, 2, 3), received);
        Assert.Equal(DispatchStatus.InvalidPayload, dispatcher.Dispatch(bad.Span, ref state));
    }

    [Fact]
    public void Compressor_of_the_page_shrinks_runs_and_round_trips()
    {
        string? received = null;
        var dispatcher = new MessageDispatcher<int>();
        var state = 0;
        var map = new MessageContract<string>(61, new Utf8TextSerializer(), new CompressionOptions(new RunLengthCompressor(), threshold: 64));
        dispatcher.Register(map, (in text, ref _) => received = text);
        var message = new string('a', 1000) + "bc";
        using var packed = new MessageWriter().Pack(map, message);

        Assert.InRange(packed.Length, 1, 30);
        Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref state));
        Assert.Equal(message, received);
    }

    [Theory]
    [InlineData("", 1)]
    [InlineData("02", 1)]
    [InlineData("0261", 1)]
    [InlineData("0261", 3)]
    [InlineData("0061", 0)]
    [InlineData("026105", 2)]
    public void Compressor_of_the_page_refuses_bad_bytes(string source, int size) =>
        Assert.False(new RunLengthCompressor().TryDecompress(Convert.FromHexString(source), new byte[size]));

    public sealed class VersionSerializer : IMessageSerializer<Version>
    {
        public string Name => "version";

        public void Serialize(in Version value, MessageBuffer buffer)
        {
            var text = value.ToString();
            buffer.Advance(Encoding.UTF8.GetBytes(text, buffer.GetSpan(text.Length)));
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out Version value) =>
            Version.TryParse(Encoding.UTF8.GetString(payload), out value);
    }

    public sealed class RunLengthCompressor : IMessageCompressor
    {
        public string Name => "run-length";

        public int GetMaxCompressedSize(int size) => checked(2 * size);

        public bool TryCompress(ReadOnlySpan<byte> source, Span<byte> destination, out int written)
        {
            written = 0;
            for (var i = 0; i < source.Length;)
            {
                var run = 1;
                while (run < byte.MaxValue && i + run < source.Length && source[i + run] == source[i])
                    run++;
                if (written + 2 > destination.Length)
                {
                    written = 0;
                    return false;
                }

                destination[written++] = (byte)run;
                destination[written++] = source[i];
                i += run;
            }

            return true;
        }

        public bool TryDecompress(ReadOnlySpan<byte> source, Span<byte> destination)
        {
            for (; source.Length >= 2 && source[0] > 0 && source[0] <= destination.Length; source = source[2..])
            {
                destination[..source[0]].Fill(source[1]);
                destination = destination[source[0]..];
            }

            return source.IsEmpty && destination.IsEmpty;
        }
    }
}
