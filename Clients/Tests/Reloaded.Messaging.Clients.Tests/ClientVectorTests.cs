using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Generated;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>A client that is a source file reads and writes the bytes of docs/vectors. A program with the client answers each line with a line.</summary>
public abstract class ClientVectorTests
{
    private static readonly string s_folder = Path.Combine(AppContext.BaseDirectory, "vectors");

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
            $"{string.Concat(one.GetProperty("messages").EnumerateArray().Select(static message => message.GetString() + " "))}{Text(one, "status")} {Hex(one, "rest")}"))
        .Concat(Cases("frames").Select(static one => (
            $"frames {Hex(one, "stream")} {one.GetProperty("limit")} 1",
            Text(one, "status") == "Ok" ? $"{Text(one, "message")} Ok {Hex(one, "rest")}" : $"{Text(one, "status")} {Hex(one, "rest")}"))));

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
        Text(one, "status") == "Ok" ? $"Ok {one.GetProperty("code")} {Utf8(one, "text")}" : "Unreadable")));

    [Fact]
    public Task Hellos_are_read_or_refused() => CompareAsync(Cases("hellos").Select(static one => (
        $"hello {Hex(one, "bytes")}",
        Text(one, "status") == "Ok" ? $"Ok {(one.GetProperty("hasToken").GetBoolean() ? 1 : 0)} {one.GetProperty("maxMessageSize")} {Text(one, "nonce")} {(one.GetProperty("contractsLater").GetBoolean() ? 0 : 1)}" : Text(one, "status"))));

    [Fact]
    public Task Encodings_are_compared() => CompareAsync(Cases("encodings").Select(static one => (
        $"encoding {Utf8(one, "ours")} {Utf8(one, "theirs")}",
        one.GetProperty("here").ValueKind == JsonValueKind.Null ? "same" : $"{Text(one, "here")}|{Text(one, "there")}")));

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
        var (id, written) = Read(one);
        return ($"payload {Hex(one, "bytes")} {id}", Text(one, "status") == "Ok" ? $"Ok Ok {Dash(written!)}" : "InvalidPayload");
    }));

    [Fact]
    public Task Mutated_messages_have_the_verdicts_of_the_library() => CompareAsync(
        Cases("payloads").Where(static one => one.GetProperty("mutated").GetBoolean()).Select(static one =>
        {
            Span<byte> header = stackalloc byte[MessageHeader.MaxSize];
            var size = new MessageHeader(Read(one).Id).Write(header);
            return ($"base {Convert.ToHexString(header[..size])}{Text(one, "bytes")}", "ok");
        })
        .Concat(Cases("mutations").Select(static one => ("mutations", Text(one, "sha256")))));

    /// <summary>Runs the program.</summary>
    /// <param name="schema">The schema whose contracts the program has.</param>
    /// <param name="lines">The lines that the program answers. Statuses have the names of <c>docs/vectors</c>.</param>
    protected abstract Task<string[]> AnswerAsync(string schema, IEnumerable<string> lines);

    /// <summary>Sends lines to the program, and compares the lines that it answers.</summary>
    protected async Task CompareAsync(IEnumerable<(string Line, string Expected)> lines)
    {
        var all = lines.ToList();
        Assert.NotEmpty(all);
        var answers = await AnswerAsync(Tool.Vectors, all.Select(static one => one.Line));
        Assert.Equal(all.Select(static one => $"{one.Line}: {one.Expected}"), all.Zip(answers, static (one, answer) => $"{one.Line}: {answer}"));
    }

    private static List<JsonElement> Cases(string file) =>
        [.. JsonDocument.Parse(File.ReadAllBytes(Path.Combine(s_folder, file + ".json"))).RootElement.GetProperty("cases").EnumerateArray()];

    private static string Text(JsonElement one, string name) => one.GetProperty(name).GetString()!;

    private static string Hex(JsonElement one, string name) => Dash(Text(one, name));

    private static string Utf8(JsonElement one, string name) => Dash(Convert.ToHexString(Encoding.UTF8.GetBytes(Text(one, name))));

    private static string Dash(string hex) => hex.Length == 0 ? "-" : hex;

    private static (MessageHeader Header, int Size) Header(byte[] message)
    {
        MessageHeader.TryRead(message, out var header, out var size);
        return (header, size);
    }

    /// <summary>Reads the payload of a case as the library does.</summary>
    /// <returns>The id of the message, and the payload that the library writes of the value; <c>null</c> if it refuses the payload.</returns>
    private static (uint Id, string? Written) Read(JsonElement one)
    {
        var name = Text(one, "message");
        var type = name == "Page_Of_int" ? typeof(Page<int>) : typeof(Scalars).Assembly.GetType($"{typeof(Scalars).Namespace}.{name}", throwOnError: true)!;
        var read = typeof(ClientVectorTests).GetMethod(nameof(ReadAs), BindingFlags.NonPublic | BindingFlags.Static)!.MakeGenericMethod(type);
        return ((uint, string?))read.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [Convert.FromHexString(Text(one, "bytes"))], null)!;
    }

    private static (uint Id, string? Written) ReadAs<T>(byte[] payload)
    {
        var contract = MessageContract.GetDeclared<T>();
        if (!contract.Serializer.TryDeserialize(payload, out var value))
            return (contract.Type, null);
        using var packed = new MessageWriter().Pack(contract, in value);
        return (contract.Type, Convert.ToHexString(packed.Span[new MessageHeader(contract.Type).Size..]));
    }
}
