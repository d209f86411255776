using System.IO;
using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class DecodeTests : IDisposable
{
    private const string Unreadable = "The input cannot be read in 1 place, which the output names.\n";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Frames_in_hexadecimal_digits_are_described_by_schema()
    {
        var tool = await Tool.RunAsync("decode", "0E 05 01000000 02000000 05 6E616D65", "--schema", Tool.Schema);

        Assert.Equal((0, "", "event 5 Reloaded.Messaging.Tests.Move, 14 bytes: {\"X\":1,\"Y\":2,\"Name\":\"name\"}\n"), (tool.ExitCode, tool.Error, tool.Output));
    }

    [Fact]
    public async Task Message_without_schema_shows_header_and_bytes()
    {
        var tool = await Tool.RunAsync("decode", "7F0103 2A AABB", "--as", "message");

        Assert.Equal((0, "request 3 #42, 6 bytes: AABB\n"), (tool.ExitCode, tool.Output));
    }

    [Fact]
    public async Task Compressed_message_is_decompressed()
    {
        using var packed = new MessageWriter().Pack(new Log(new string('a', 1000)));

        var tool = await Tool.RunAsync("decode", Convert.ToHexString(packed.Span), "--as", "message", "--schema", Tool.Schema);

        Assert.Equal(0, tool.ExitCode);
        Assert.Contains($"(compressed from 1002): {{\"Text\":\"{new string('a', 1000)}\"}}", tool.Output);
    }

    [Theory]
    [InlineData("Reloaded.Messaging.Compression.LZ4.NativeLZ4Compressor", "\"lz4\"", "event 5 M, 8 bytes (compressed from 2): {}\n")]
    [InlineData("Game.Compressor", "\"lz4\"", "event 5 M, 8 bytes (compressed from 2): {}\n")]
    [InlineData("Game.LZ4Compressor", "null", "M is compressed by Game.LZ4Compressor; the tool knows the formats brotli and lz4.")]
    public async Task Compressor_is_known_by_the_name_of_its_format(string type, string format, string expected)
    {
        var schema = Write("schema.json", System.Text.Encoding.UTF8.GetBytes($$"""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": "{{type}}", "compressorName": {{format}}, "fields": []}]}"""));

        var tool = await Tool.RunAsync("decode", "85 02000000 20 AABB", "--as", "message", "--schema", schema);

        Assert.StartsWith(expected, tool.Output + tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Payload_needs_its_type()
    {
        var without = await Tool.RunAsync("decode", "0100000002000000", "--as", "payload", "--schema", Tool.Schema);
        var with = await Tool.RunAsync("decode", "0100000002000000", "--as", "payload", "--schema", Tool.Schema, "--type", "Move");

        Assert.Equal((1, "A payload contains no type. Name its type by --type.\n"), (without.ExitCode, without.Error));
        Assert.Equal((0, "{\"X\":1,\"Y\":2}\n"), (with.ExitCode, with.Output));
    }

    [Theory]
    [InlineData("0003", "not a frame at byte 0")]
    [InlineData("0505", "the input ends inside a frame, 2 bytes are left")]
    [InlineData("0205FF", "event 5 Reloaded.Messaging.Tests.Move, 2 bytes: does not fit the schema (InvalidPayload): FF")]
    [InlineData("027F08", "malformed header (Incomplete)")]
    [InlineData("00525001", "encrypted by Protection")]
    public async Task Bad_bytes_are_described(string hex, string expected)
    {
        var tool = await Tool.RunAsync("decode", hex, "--schema", Tool.Schema);

        Assert.Contains(expected.Replace("(Incomplete)", "("), tool.Output);
        Assert.Equal(
            expected.StartsWith("encrypted", StringComparison.Ordinal) ? (0, "The input contains no message of this library. ") : (2, Unreadable),
            (tool.ExitCode, tool.Error.Split("If the start")[0]));
    }

    [Theory]
    [InlineData("no-such-file", "'no-such-file' is not a file, and not hexadecimal digits in pairs.")]
    [InlineData("ABC", "'ABC' is not a file, and not hexadecimal digits in pairs.")]
    public async Task Bad_input_is_one_line(string input, string expected)
    {
        var tool = await Tool.RunAsync("decode", input);

        Assert.Equal((2, $"{expected}\n"), (tool.ExitCode, tool.Error));
    }

    [Theory]
    [InlineData("{")]
    [InlineData("[]")]
    [InlineData("""{"format": 3, "contracts": []}""")]
    [InlineData("""{"contracts": [{"id": -1}]}""")]
    [InlineData("""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 0, "compressor": null, "fields": []}]}""")]
    [InlineData("""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{"number": 1, "name": "A", "type": "[[i4", "shape": "1"}]}]}""")]
    [InlineData("""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{"number": 1, "name": "A", "type": "i4", "shape": "x"}]}]}""")]
    [InlineData("""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": "My.Compressor", "fields": []}]}""")]
    public async Task Wrong_schema_is_one_line(string schema)
    {
        var file = Write("schema.json", System.Text.Encoding.UTF8.GetBytes(schema));

        var tool = await Tool.RunAsync("decode", "0105", "--schema", file);

        Assert.Equal(2, tool.ExitCode);
        Assert.Single(tool.Error.TrimEnd('\n').Split('\n'));
    }

    [Fact]
    public async Task Message_that_nests_too_deeply_is_an_error_and_other_messages_are_printed()
    {
        var arrays = new string('[', 59) + "m5?" + new string(']', 59);
        var schema = Write("schema.json", System.Text.Encoding.UTF8.GetBytes($$"""{"contracts": [{"id": 5, "name": "M", "kind": "message", "struct": false, "version": 1, "compressor": null, "fields": [{"number": 1, "name": "A", "type": "{{arrays}}", "shape": "1"}]}]}"""));
        byte[] payload = [];
        for (var depth = 0; depth < 40; depth++)
        {
            byte[] item = [.. Prefix(payload.Length), .. payload];
            payload = [.. Enumerable.Repeat((byte)2, 59), .. item]; // each array has one item
        }

        byte[] message = [5, .. payload];
        byte[] frames = [.. Prefix(message.Length - 1), .. message, 1, 5];

        var tool = await Tool.RunAsync("decode", Convert.ToHexString(frames), "--schema", schema);

        var lines = tool.Output.TrimEnd('\n').Split('\n');
        Assert.Equal((2, Unreadable, 2), (tool.ExitCode, tool.Error, lines.Length));
        Assert.Contains("M has values that are nested 500 levels deep or deeper", lines[0], StringComparison.Ordinal);
        Assert.Equal("event 5 M, 1 bytes: {}", lines[1]);

        static byte[] Prefix(int length) // a uvarint of the length, plus one
        {
            var prefix = new byte[5];
            return prefix[..Wire.UVarint.Write(prefix, (uint)length + 1)];
        }
    }

    [Fact]
    public async Task Capture_of_tcp_is_put_in_order_and_decoded()
    {
        var capture = new TestCapture().Tcp(1000, 5000, 9, "", isStart: true)
            .Tcp(1000, 5000, 10, TestCapture.Hello)
            .Tcp(1000, 5000, 10 + 9 + 5, "0002000000") // before the segment in front of it
            .Tcp(1000, 5000, 10 + 9, "090501" + "0000")
            .Tcp(1000, 5000, 10 + 9, "090501" + "0000") // again
            .Tcp(2000, 80, 1, "474554");

        foreach (var file in new[] { capture.ToPcap(), capture.ToPcapNg() })
        {
            var tool = await Tool.RunAsync("decode", Write("capture", file), "--schema", Tool.Schema);

            Assert.Equal("", tool.Error);
            Assert.EndsWith("127.0.0.1:1000 > 127.0.0.1:5000: event 5 Reloaded.Messaging.Tests.Move, 9 bytes: {\"X\":1,\"Y\":2}\n", tool.Output);
            Assert.Equal((0, 2), (tool.ExitCode, tool.Output.Split('\n').Length - 1));
        }
    }

    [Theory]
    [InlineData(1, "1 segment after it was")]
    [InlineData(3, "3 segments after it were")]
    public async Task Capture_with_a_gap_says_what_was_not_decoded(int after, string expected)
    {
        var capture = new TestCapture().Tcp(1000, 5000, 9, "", isStart: true).Tcp(1000, 5000, 10, TestCapture.Hello).Tcp(1000, 5000, 19, "09050100000002000000");
        for (var i = 1u; i <= after; i++)
            capture.Tcp(1000, 5000, 29 + (10 * i), "09050300000004000000"); // the segment at 29 is lost

        var tool = await Tool.RunAsync("decode", Write("capture", capture.ToPcap()), "--schema", Tool.Schema);

        Assert.Equal((2, Unreadable), (tool.ExitCode, tool.Error));
        Assert.Contains("{\"X\":1,\"Y\":2}\n", tool.Output, StringComparison.Ordinal);
        Assert.EndsWith($"127.0.0.1:1000 > 127.0.0.1:5000: a segment is missing in the capture, so {expected} not decoded. Capture without loss, or with a larger buffer\n", tool.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, "1 packet of the link type 147 was")]
    [InlineData(2, "2 packets of the link type 147 were")]
    public async Task Capture_of_an_unknown_link_type_says_so(int packets, string expected)
    {
        var capture = new TestCapture();
        for (var i = 0; i < packets; i++)
            capture.Tcp(1000, 5000, 10, TestCapture.Hello);

        var tool = await Tool.RunAsync("decode", Write("capture", capture.ToPcap(linkType: 147)), "--schema", Tool.Schema);

        Assert.Equal((2, Unreadable, $"{expected} not decoded. Capture Ethernet, IP, a loopback device or the device 'any' of Linux\n"), (tool.ExitCode, tool.Error, tool.Output));
    }

    [Fact]
    public async Task Capture_of_udp_is_decoded()
    {
        var capture = new TestCapture()
            .Udp(1000, 5000, "01524D5501")
            .Udp(5000, 1000, "06" + "0000000000000000" + "0000000000000000" + "000000" + "050A00" + "090501000000" + "02000000")
            .Udp(5000, 1000, "06" + "0000000000000000" + "0100000000000000" + "030F00" + "00" + "0400000000000000" + "000003000000")
            .Udp(5000, 1000, "06" + "0000000000000000" + "0200000000000000" + "030D00" + "00" + "0000000000000000" + "09050100")
            .Udp(5000, 1000, "07" + "0000000000000000")
            .Udp(1, 2, "06");

        var tool = await Tool.RunAsync("decode", Write("capture", capture.ToPcap()), "--schema", Tool.Schema);

        Assert.Equal(
            ["127.0.0.1:1000 > 127.0.0.1:5000: datagram hello", "127.0.0.1:5000 > 127.0.0.1:1000: event 5 Reloaded.Messaging.Tests.Move, 9 bytes: {\"X\":1,\"Y\":2}", "127.0.0.1:5000 > 127.0.0.1:1000: event 5 Reloaded.Messaging.Tests.Move, 9 bytes: {\"X\":1,\"Y\":3}", "127.0.0.1:5000 > 127.0.0.1:1000: encrypted by Protection; the tool cannot decode it"],
            Array.ConvertAll(tool.Output.TrimEnd('\n').Split('\n'), static line => line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..]));
    }

    [Fact]
    public async Task Mutated_captures_give_errors_and_no_exceptions()
    {
        var capture = new TestCapture().Tcp(1000, 5000, 9, "", isStart: true).Tcp(1000, 5000, 10, TestCapture.Hello).Tcp(1000, 5000, 19, "09050100000002000000")
            .Udp(1000, 5000, "01524D5501").Udp(5000, 1000, "06" + "0000000000000000" + "0000000000000000" + "050A00" + "09050100000002000000")
            .Udp(5000, 1000, "06" + "0000000000000000" + "0100000000000000" + "030E00" + "00" + "0000000000000000" + "0905010000");
        var random = new Random(1);
        foreach (var original in new[] { capture.ToPcap(), capture.ToPcapNg() })
        {
            for (var i = 0; i < 150; i++)
            {
                var bytes = original[..(i % 3 == 0 ? random.Next(original.Length) : original.Length)];
                for (var changes = random.Next(4); changes >= 0 && bytes.Length > 0; changes--)
                    bytes[random.Next(bytes.Length)] = (byte)random.Next(256);

                var tool = await Tool.RunAsync("decode", Write("capture", bytes), "--schema", Tool.Schema, "--port", "5000");

                Assert.True(tool.ExitCode is 0 or 2, $"exit code {tool.ExitCode}");
            }
        }
    }

    private string Write(string name, byte[] bytes)
    {
        var path = Path.Combine(_folder.FullName, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }
}
