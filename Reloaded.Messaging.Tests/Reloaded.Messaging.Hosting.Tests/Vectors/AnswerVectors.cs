using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>What a live host answers to a client: refusals, later hellos, limits, streams and files.</summary>
internal sealed class AnswerVectors
{
    private static readonly byte[] s_stream = [1, 0, 0, 0]; // the first stream of a host

    private readonly VectorFile _file = new(
        "answers",
        "What a host answers. handshake: whether both sides have accepted each other before, without contracts of the client and without a token. Otherwise, only the host's first hello was sent, which is left out. " +
        "steps: the frames of both sides, in order, each with its length. closes: whether the host closes the connection after them. The host has one handler for requests of type 3 (a string, answered with type 3 and the same string), " +
        "one for requests of type 1 (an int32: the length of a stream of type 2, whose items are int32 from 0), one for requests of type 2 (an int32: the number of items of type 1, int32, that it reads with the request; 0 for all; answered with type 3 and their sum), " +
        "and a file of three bytes with the name log. Asked for \"items\" or \"plain\", the handler of type 3 sends a request of type 2 to the client, with one item 5 or without items, and answers with its reply. The handler of requests of type 38 (a string) reports 50, 60 and 70 (type 40, int32), and answers with type 39 (int32 3). Its limit of a message is 1048576 bytes. Pings of the host are left out. The texts of goodbyes and faults are those of the library; other hosts may say it otherwise.");

    public static async Task<VectorFile> MakeAsync()
    {
        var answers = new AnswerVectors();
        await answers.AddRefusalsAsync();
        await answers.AddLaterHellosAsync();
        await answers.AddLimitsAsync();
        await answers.AddStreamsAsync();
        await answers.AddItemsAsync();
        await answers.AddReportsAsync();
        return answers._file;
    }

    private async Task AddRefusalsAsync()
    {
        var plain = HandshakeVectors.WriteHello(HandshakeVectors.ClientNonce, hasToken: false);
        await RefuseAsync("a hello of another version", ("hello", Hello([.. plain[..4], 2, .. plain[5..]]), 1));
        await RefuseAsync("a hello that cannot be read", ("hello", Hello(plain[..^1]), 1));
        await RefuseAsync("a token that the host does not have", ("hello", Hello(HandshakeVectors.WriteHello(HandshakeVectors.ClientNonce, hasToken: true)), 1));
        await RefuseAsync("a contract with another serializer", ("hello", Hello(HandshakeVectors.WriteHello(HandshakeVectors.ClientNonce, hasToken: false, OtherNote())), 1));
        await RefuseAsync("an event in place of a hello", ("event", RawPeer.Event(new Note("hi")), 0));
        await RefuseAsync("a request before the last hello", ("hello", Hello(plain), 0), ("request", RawPeer.Request(new Note("hi"), 7), 0));
        await RefuseAsync("the first byte of a key exchange", ("offer", [0], 1));
    }

    private async Task AddLaterHellosAsync()
    {
        var request = ("request", RawPeer.Request(new Note("hi"), 7), 1);
        await PlayAsync("a later hello", false, ("later hello", RawPeer.Announcement(MessageContract.GetDeclared<Note>()), 0), request);
        await PlayAsync("a later hello with another serializer", true, ("later hello", RawPeer.Announcement(OtherNote()), 1));
        await PlayAsync("a later hello that cannot be read", true, ("later hello", RawPeer.Frame(MessageKind.Control, ControlCode.Hello, 0, 5), 1));
        await PlayAsync(
            "what a host ignores", false, ("control message with an unknown opcode", RawPeer.Frame(MessageKind.Control, 300, 0, 1, 2), 0), ("event without a handler", RawPeer.Frame(MessageKind.Event, 99, 0, 1), 0),
            ("reply to no request", RawPeer.Frame(MessageKind.Reply, 3, 5, 3, 0x68, 0x69), 0), ("cancellation of no request", RawPeer.Frame(MessageKind.Control, ControlCode.Cancel, 0, 5), 0), request);
        await PlayAsync("a goodbye", true, ("goodbye", RawPeer.Frame(MessageKind.Control, ControlCode.Goodbye, 0, 0), 0));
    }

    private async Task AddLimitsAsync()
    {
        var request = ("request", RawPeer.Request(new Note("hi"), 7), 1);
        var unreadable = RawPeer.Length(1).Append((byte)0x83).ToArray();
        await PlayAsync("a frame of 1048577 bytes", true, ("its length and header", [.. RawPeer.Length(1_048_577), 3, 0x68], 1));
        await PlayAsync("a frame of no bytes", true, ("frame", [0], 1));
        await PlayAsync("sixteen messages that cannot be read", false, ("messages", Repeat(unreadable, 16), 0), request);
        await PlayAsync("seventeen messages that cannot be read", true, ("messages", Repeat(unreadable, 17), 1));
        await PlayAsync("a request without a handler", false, ("request", RawPeer.Frame(MessageKind.Request, 99, 7, 1), 1));
        await PlayAsync("a request that cannot be read", false, ("request", RawPeer.Frame(MessageKind.Request, 3, 7, 5, 1), 1));
        await PlayAsync("a ping of 64 bytes", false, ("ping", RawPeer.Frame(MessageKind.Control, ControlCode.Ping, 0, VectorFile.Sequence(1, 64)), 1));
    }

    private async Task AddStreamsAsync()
    {
        await PlayAsync("a stream of one item", false, ("request", RawPeer.Request(new Ping(1), 1), 1), ("next block", Block(2, 1), 1), ("next block", Block(3, 1), 1), ("next block after the end", Block(4, 1), 1));
        await PlayAsync("a stream that is closed", false, ("request", RawPeer.Request(new Ping(1000), 1), 1), ("close", Block(2, 0), 1), ("next block", Block(3, 1), 1));
        await PlayAsync("a stream that does not exist", false, ("next block", Block(1, 1), 1));
        await PlayAsync(
            "a file", false, ("file wanted", RawPeer.Frame(MessageKind.Request, LibraryTypes.FileWanted, 1, [.. "log"u8]), 1), ("part: none", Part(2), 1),
            ("next block", Block(3, 2), 1), ("next block", Block(4, 2), 1), ("part again", Part(5), 1));
        await PlayAsync("a file that does not exist", false, ("file wanted", RawPeer.Frame(MessageKind.Request, LibraryTypes.FileWanted, 1, [.. "map"u8]), 1));
    }

    /// <summary>The clients of this repository play the first two cases, so the ids of their requests are 1 and above.</summary>
    private async Task AddItemsAsync()
    {
        var request = RawPeer.Frame(MessageKind.Request, 2, 1, 0, 0, 0, 0);
        (string, Func<List<uint>, byte[]>, int) sent = ("request", _ => request, 4);
        await PlayRequestsAsync(
            "items of a request", sent, ("block of one item", static ids => OneItem(ids[0]), 1),
            ("ends", static ids => [.. StreamReply(ids[1], [1]), .. StreamReply(ids[2], [1]), .. StreamReply(ids[3], [1])], 1), ("end", static ids => StreamReply(ids[4], [1]), 0));
        await PlayRequestsAsync(
            "items of a request of the host", ("request", static _ => RawPeer.Request(new Note("items"), 1), 1),
            ("next blocks", static ids => [.. Enumerable.Range(2, 4).SelectMany(id => Items((uint)id, ids[0], 1))], 4), ("next block", static ids => Items(6, ids[0], 1), 1),
            ("reply", static ids => RawPeer.Frame(MessageKind.Reply, 3, ids[0], 2, 0x35), 1), ("next block after the reply", static ids => Items(7, ids[0], 1), 1), ("close after the reply", static ids => Items(8, ids[0], 0), 1));
        await PlayRequestsAsync("items that the host leaves", ("request", static _ => RawPeer.Frame(MessageKind.Request, 2, 1, 1, 0, 0, 0), 4), ("block of one item", static ids => OneItem(ids[0]), 2));
        await PlayRequestsAsync("items that fail", sent, ("fault", static ids => RawPeer.Frame(MessageKind.Fault, LibraryTypes.ItemPull, ids[0], 0xE9, 0x07), 1));
        await PlayRequestsAsync("items that are canceled", sent, ("fault", static ids => RawPeer.Frame(MessageKind.Fault, LibraryTypes.ItemPull, ids[0], 5), 1));
        await PlayRequestsAsync(
            "items of a request without items", ("request", static _ => RawPeer.Request(new Note("plain"), 1), 1), ("next block", static ids => Items(2, ids[0], 1), 1), ("close", static ids => Items(3, ids[0], 0), 1),
            ("reply", static ids => RawPeer.Frame(MessageKind.Reply, 3, ids[0], 2, 0x35), 1));
    }

    private async Task AddReportsAsync()
    {
        var open = Enumerable.Range(2, 2).SelectMany(static id => Reports((uint)id, 2)).ToArray();
        await PlayAsync("reports of a request", false, ("opens, and the request", [.. open, .. RawPeer.Request(new Rebuild("city"), 1)], 3), ("next report after the end", Reports(4, 1), 1));
        await PlayAsync("reports of a handler without reports", false, ("opens, and the request", [.. open, .. RawPeer.Request(new Note("hi"), 1)], 3));
        await PlayAsync("reports that are closed", false, ("opens", open, 0), ("next report, while two wait", Reports(4, 1), 1), ("close", Reports(5, 0), 3), ("close again", Reports(6, 0), 1));
    }

    private Task RefuseAsync(string name, params (string What, byte[] Bytes, int Answers)[] steps) => PlayAsync(name, false, true, steps);

    private Task PlayAsync(string name, bool closes, params (string What, byte[] Bytes, int Answers)[] steps) => PlayAsync(name, true, closes, steps);

    private Task PlayAsync(string name, bool handshake, bool closes, (string What, byte[] Bytes, int Answers)[] steps) =>
        PlayAsync(name, handshake, closes, [.. steps.Select(static step => (step.What, (Func<List<uint>, byte[]>)(_ => step.Bytes), step.Answers))]);

    private Task PlayRequestsAsync(string name, params (string What, Func<List<uint>, byte[]> Bytes, int Answers)[] steps) => PlayAsync(name, true, false, steps);

    /// <summary>Plays the steps with a new host, and adds them with its answers. The bytes of a step depend on the correlation ids of the requests that the host has sent.</summary>
    private async Task PlayAsync(string name, bool handshake, bool closes, (string What, Func<List<uint>, byte[]> Bytes, int Answers)[] steps)
    {
        await using var host = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static host =>
        {
            var (request, item, reply) = (MessageContract.GetDeclared<Pong>(), MessageContract.GetDeclared<Ping>(), MessageContract.GetDeclared<Note>());
            host.OnRequest<Note, Note>(async (note, peer, token) => note.Text switch
            {
                "items" => await peer.RequestAsync(request, item, reply, default(Pong), FiveAsync(), token),
                "plain" => await peer.RequestAsync(request, reply, default(Pong), cancellationToken: token),
                _ => note,
            });
            host.OnRequest(static (Rebuild _, IProgress<Percent> progress, CancellationToken _) =>
            {
                for (var percent = 50; percent < 80; percent += 10)
                    progress.Report(new Percent(percent));
                return Task.FromResult(new Rebuilt(3));
            });
            host.OnRequest(request, item, reply, static async (most, items, _, _) =>
            {
                var (sum, count) = (0, 0);
                await foreach (var one in items)
                {
                    sum += one.Number;
                    if (++count == most.Number)
                        break;
                }

                return new Note(sum.ToString(CultureInfo.InvariantCulture));
            });
            host.OnStream(static (Ping request, CancellationToken _) => CountAsync(request.Number));
            host.OnFileRequest(static (name, _) => name == "log" ? new MemoryStream([1, 2, 3]) : throw new RequestFaultException(1001, "No such file."));
        });
        using var raw = handshake ? await RawPeer.HandshakeAsync(host.Endpoint) : await RawPeer.ConnectAsync(host.Endpoint);
        if (!handshake)
            await raw.ReceiveAsync();
        var (played, ids) = (new JsonArray(), new List<uint>());
        foreach (var (what, write, answers) in steps)
        {
            var bytes = write(ids);
            Add("client", what, bytes);
            await raw.SendAsync(bytes);
            for (var answer = 0; answer < answers; answer++)
            {
                var (header, payload) = await raw.ReceiveAsync();
                if (header.Kind == MessageKind.Request)
                    ids.Add(header.CorrelationId);
                Add("host", $"{header.Kind.ToString().ToLowerInvariant()} {header.Type}", RawPeer.Frame(header.Kind, header.Type, header.CorrelationId, payload));
            }
        }

        if (closes)
            Assert.Empty(await raw.ReceiveToEndAsync());
        _file.Add(name, new JsonObject { ["handshake"] = handshake, ["steps"] = played, ["closes"] = closes });

        void Add(string from, string what, byte[] bytes) => played.Add(new JsonObject { ["from"] = from, ["what"] = what, ["bytes"] = VectorFile.Hex(bytes) });
    }

    private static async IAsyncEnumerable<Pong> CountAsync(int count)
    {
        for (var number = 0; number < count; number++)
        {
            await Task.Yield();
            yield return new Pong(number);
        }
    }

    private static async IAsyncEnumerable<Ping> FiveAsync()
    {
        await Task.Yield();
        yield return new Ping(5);
    }

    private static byte[] Hello(byte[] payload) => RawPeer.Frame(MessageKind.Control, ControlCode.Hello, 0, payload);

    private static MessageContract<Note> OtherNote() => new(3, new ThrowingSerializer<Note>(onWrite: true));

    private static byte[] Block(uint correlationId, byte size) => RawPeer.Frame(MessageKind.Request, LibraryTypes.StreamPull, correlationId, [.. s_stream, 0, 0, size, 0]);

    private static byte[] Items(uint correlationId, uint number, byte size) => RawPeer.Frame(MessageKind.Request, LibraryTypes.ItemPull, correlationId, [.. BitConverter.GetBytes(number), 0, 0, size, 0]);

    private static byte[] Reports(uint correlationId, byte action) => RawPeer.Frame(MessageKind.Request, LibraryTypes.ReportPull, correlationId, 1, 0, 0, 0, action, 0, 0, 0);

    private static byte[] OneItem(uint correlationId) => StreamReply(correlationId, [0, 5, 1, 5, 0, 0, 0]);

    private static byte[] StreamReply(uint correlationId, byte[] block) => RawPeer.Frame(MessageKind.Reply, LibraryTypes.StreamBlock, correlationId, block);

    private static byte[] Part(uint correlationId) => RawPeer.Frame(MessageKind.Request, LibraryTypes.FileStart, correlationId, [.. s_stream, 0, 0, 0, 0, 0, 0, 0, 0]);

    private static byte[] Repeat(byte[] bytes, int count) => [.. Enumerable.Repeat(bytes, count).SelectMany(static one => one)];
}
