using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Reloaded.Messaging.Tool;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.CClient;

/// <summary>The C client reads and writes the bytes of docs/vectors. A C program answers each line with a line.</summary>
public sealed class CVectorTests
{
    private static readonly string s_folder = Path.Combine(AppContext.BaseDirectory, "vectors");
    private static readonly Schema s_schema = Schema.Load([Path.Combine(s_folder, "contracts.schema.json")], []);

    [Fact]
    public Task Uvarints_have_one_encoding() => CompareAsync(Cases("uvarints").Select(static one => (
        $"uvarint {Hex(one, "bytes")}",
        Text(one, "status") == "Ok" ? $"Ok {one.GetProperty("value")} 1" : Text(one, "status"))));

    [Fact]
    public Task Headers_have_their_verdicts_and_are_written_back() => CompareAsync(Cases("headers").Select(static one => (
        $"header {Hex(one, "bytes")}",
        Text(one, "status") == "Ok" ? $"Ok {one.GetProperty("type")} {one.GetProperty("kind")} {one.GetProperty("correlation")} {(one.GetProperty("size").ValueKind == JsonValueKind.Null ? "!0" : one.GetProperty("size").ToString())} {Hex(one, "payload")} same" : Text(one, "status"))));

    [Fact]
    public Task Frames_and_batches_are_divided() => CompareAsync(
        Cases("batches").Select(static one => (
            $"frames {Hex(one, "stream")} {one.GetProperty("limit")} 1000",
            $"{string.Concat(one.GetProperty("messages").EnumerateArray().Select(static message => message.GetString() + " "))}{Status(one)} {Hex(one, "rest")}"))
        .Concat(Cases("frames").Select(static one => (
            $"frames {Hex(one, "stream")} {one.GetProperty("limit")} 1",
            Text(one, "status") == "Ok" ? $"{Text(one, "message")} RM_OK {Hex(one, "rest")}" : $"{Status(one)} {Hex(one, "rest")}"))));

    [Fact]
    public Task Lz4_blocks_are_decompressed_or_refused() => CompareAsync(
        from one in Cases("compression")
        where Text(one, "compressor") == "lz4" && Text(one, "status") is "Handled" or "CorruptPayload"
        let message = Convert.FromHexString(Text(one, "bytes"))
        let header = Header(message)
        where header.Header.IsCompressed
        select ($"lz4 {Dash(Convert.ToHexString(message[header.Size..]))} {header.Header.DecompressedSize}", Text(one, "status") == "Handled" ? Hex(one, "payload") : "corrupt"));

    [Fact]
    public Task Faults_have_a_code_and_a_text() => CompareAsync(Cases("faults").Select(static one => (
        $"fault {Hex(one, "bytes")}",
        Text(one, "status") == "Ok" ? $"Ok {one.GetProperty("code")} {Dash(Convert.ToHexString(Encoding.UTF8.GetBytes(Text(one, "text"))))}" : "Unreadable")));

    [Fact]
    public Task Hellos_are_read_or_refused() => CompareAsync(Cases("hellos").Select(static one => (
        $"hello {Hex(one, "bytes")}",
        Text(one, "status") == "Ok" ? $"Ok {(one.GetProperty("hasToken").GetBoolean() ? 1 : 0)} {one.GetProperty("maxMessageSize")} {Text(one, "nonce")} {(one.GetProperty("contractsLater").GetBoolean() ? 0 : 1)}" : Text(one, "status"))));

    [Fact]
    public Task Proofs_depend_on_token_role_and_nonces() => CompareAsync(Cases("proofs").Select(static one => (
        $"proof {Hex(one, "token")} {(Text(one, "role") == "client" ? 'C' : 'S')} {Text(one, "ownNonce")}{Text(one, "otherNonce")}",
        Text(one, "proof"))));

    [Fact]
    public Task Sessions_begin_with_the_hello_and_the_proof() => CompareAsync(Cases("sessions").SelectMany(static one =>
    {
        var frames = one.GetProperty("steps").EnumerateArray().Where(static step => Text(step, "from") == "client").Select(static step => Text(step, "bytes")).ToList();
        var hello = ($"helloframe {Hex(one, "token")} {Text(one, "clientNonce")}", frames[0]);
        return Text(one, "token").Length == 0 ? new[] { hello } : [hello, ($"proof {Text(one, "token")} C {Text(one, "clientNonce")}{Text(one, "serverNonce")}", frames[1]["237F0400".Length..])];
    }));

    [Fact]
    public Task Payloads_are_read_and_written_back_or_refused() => CompareAsync(Cases("payloads").Select(static one =>
    {
        var contract = s_schema.Find(Text(one, "message"));
        return ($"payload {Hex(one, "bytes")} {contract.Id}", Text(one, "status") == "Ok" ? $"RM_OK RM_OK {Dash(Write(contract, one.GetProperty("value")))}" : "RM_INVALID_PAYLOAD");
    }));

    [Fact]
    public Task Mutated_messages_have_the_verdicts_of_the_library() => CompareAsync(
        Cases("payloads").Where(static one => one.GetProperty("canonical").GetBoolean()).Select(static one =>
        {
            Span<byte> header = stackalloc byte[MessageHeader.MaxSize];
            var size = new MessageHeader(s_schema.Find(Text(one, "message")).Id).Write(header);
            return ($"base {Convert.ToHexString(header[..size])}{Text(one, "bytes")}", "ok");
        })
        .Concat(Cases("mutations").Select(static one => ("mutations", Text(one, "sha256")))));

    [Theory]
    [InlineData("f4", "00000000", "00000080", true)] // 0.0 and -0.0
    [InlineData("f4", "0000C07F", "0100C0FF", true)] // NaN
    [InlineData("f8", "000000000000F03F", "000000000000F0BF", false)]
    [InlineData("f2", "007E", "01FE", true)]
    [InlineData("f8", "000000000000F07F", "000000000000F87F", false)] // infinity and NaN
    [InlineData("d", "0A000000000000000000000000000100", "64000000000000000000000000000200", true)] // 1.0 and 1.00
    [InlineData("d", "01000000000000000000000000000000", "64000000000000000000000000000200", true)] // 1 and 1.00
    [InlineData("d", "00000000000000000000000000000180", "00000000000000000000000000000000", true)] // -0.0 and 0
    [InlineData("d", "01000000000000000000000000000080", "01000000000000000000000000000000", false)]
    [InlineData("d", "0A000000000000000000000000000100", "0A000000000000000000000000000200", false)]
    [InlineData("d", "00000000010000000A00000000000100", "00000000020000000A00000000000100", false)]
    [InlineData("t", "002019DD6622C108", "002019DD6622C148", true)] // another kind
    [InlineData("t", "002019DD6622C108", "012019DD6622C108", false)]
    [InlineData("to", "002019DD6622C1080000", "0088DD3E6F22C1083B00", false)]
    [InlineData("to", "002019DD6622C1080000", "0088DD3E6F22C1083C00", true)] // one moment, an hour apart on the clock
    [InlineData("s", "036162", "036162", true)]
    [InlineData("s", "036162", "0261", false)]
    [InlineData("?s", "00", "0100", false)]
    [InlineData("?i4", "00", "00", true)]
    [InlineData("?i4", "0105000000", "0106000000", false)]
    [InlineData("(f4f4)", "0000000000000080", "0000008000000000", true)]
    [InlineData("(s:?(s:f4))", "026100", "026100", true)]
    [InlineData("(?(s:f4):i2)", "000100", "000200", false)]
    [InlineData("(s:?i4)", "02610105000000", "026100", false)]
    [InlineData("(tti2)", "01000000000000000200", "01000000000000000200", true)]
    [InlineData("(ddb)", "0100000001", "0100000000", false)]
    [InlineData("g", "33221100554477668899AABBCCDDEEFF", "33221100554477668899AABBCCDDEEFE", false)]
    public Task Keys_are_equal_as_in_DotNet(string code, string first, string second, bool areEqual) => CompareAsync(
        [($"keys {(first + second)} {code} {first.Length / 2}", areEqual ? "equal" : "different")]);

    /// <summary>Sends lines to the program, and compares the lines that it answers.</summary>
    private static async Task CompareAsync(IEnumerable<(string Line, string Expected)> lines)
    {
        var all = lines.ToList();
        Assert.NotEmpty(all);
        var program = await CProgram.GetAsync("test/vectors.c", Path.Combine(s_folder, "contracts.schema.json"));
        var answers = await program.RunAsync(all.Select(static one => one.Line), []);
        Assert.Equal(all.Select(static one => $"{one.Line}: {one.Expected}"), all.Zip(answers, static (one, answer) => $"{one.Line}: {answer}"));
    }

    private static List<JsonElement> Cases(string file) =>
        [.. JsonDocument.Parse(File.ReadAllBytes(Path.Combine(s_folder, file + ".json"))).RootElement.GetProperty("cases").EnumerateArray()];

    private static string Text(JsonElement one, string name) => one.GetProperty(name).GetString()!;

    private static string Hex(JsonElement one, string name) => Dash(Text(one, name));

    private static string Dash(string hex) => hex.Length == 0 ? "-" : hex;

    private static string Status(JsonElement one) => Text(one, "status") switch { "Incomplete" => "RM_INCOMPLETE", "Malformed" => "RM_MALFORMED", _ => "RM_TOO_LARGE" };

    private static (MessageHeader Header, int Size) Header(byte[] message)
    {
        MessageHeader.TryRead(message, out var header, out var size);
        return (header, size);
    }

    /// <summary>Writes a value in the form of the vectors with the codec of the tool.</summary>
    private static string Write(SchemaContract schema, JsonElement value)
    {
        var contract = SchemaSerializer.CreateContract(s_schema, schema);
        using var packed = new MessageWriter().Pack(contract, in value);
        return Convert.ToHexString(packed.Span[new MessageHeader(contract.Type).Size..]);
    }
}
