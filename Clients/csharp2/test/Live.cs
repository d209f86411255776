// Connects to the server of Reloaded.Messaging.Tests.PeerProcess, and prints a line for each step. A test compares the lines, and the
// names of the steps with Clients/live-tests.json.
// Usage: Live ENDPOINT TOKEN, with the token in hexadecimal or "none"; or Live observe ENDPOINT TOKEN, to print all that happens;
// or Live find PROCESS NAME, to connect to a published server.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using Reloaded.Messaging.Client;
using Reloaded.Messaging.Client.Messages;

internal static class Program
{
    private const int Long = 30000;

    private static readonly List<Shout> s_shouts = new List<Shout>();
    private static readonly List<ReceivedRequest> s_asked = new List<ReceivedRequest>();
    private static Action<Question, ReceivedRequest> s_onQuestion;
    private static DisconnectReason? s_reason;
    private static string s_text;
    private static string s_failure;

    public static int Main(string[] arguments)
    {
        if (arguments[0] == "find")
            return Find(int.Parse(arguments[1], CultureInfo.InvariantCulture), arguments[2]);
        var observes = arguments[0] == "observe";
        var endpoint = arguments[observes ? 1 : 0];
        var token = Bytes(arguments[observes ? 2 : 1]);
        var client = Create(Contracts.All, token);
        client.On<Shout>(s_shouts.Add);
        client.OnRequest<Question>((question, request) => s_onQuestion(question, request));
        client.CallbackFailed = e => s_failure = e.Message;
        client.Decompress = Decompress;
        if (observes)
        {
            Observe(client, endpoint);
            return 0;
        }

        for (var round = 0; round < 2; round++) // a client connects again
        {
            Connect(client, endpoint);
            Require(client.Connect(endpoint) == ClientStatus.AlreadyConnected, "connected already");
            Sum(client);
            Shout(client);
            AskBack(client, round == 1);
            Faults(client);
            Lines(client);
            Unanswered(client);
            Leave(client);
        }

        client.Dispose();
        Differences(endpoint, token);
        if (token == null)
            token = new byte[32];
        token[0] ^= 1;
        client = Create(Contracts.All, token);
        Require(client.Connect(endpoint, Long) == ClientStatus.Ok, "connect");
        Print("Wrong token: " + End(client));
        Passed("another token is refused");
        client.SetToken(new byte[15]);
        Print("15 bytes: " + client.Connect(endpoint, Long));
        Print("Endpoints: " + string.Join(", ", new[] { "tcp://192.0.2.1:5000", "tcp://game.example:5000", "udp://127.0.0.1:5000", "tcp://127.0.0.1:0", "tcp://:5000" }.Select(text => client.Connect(text))));
        client.SetToken(null);
        Require(client.Connect("tcp://localhost:1", Long) == ClientStatus.Ok, "connect");
        Print("No server: " + End(client));
        return 0;
    }

    private static MessageClient Create(IEnumerable<Contract> contracts, byte[] token)
    {
        var client = new MessageClient(contracts) { Disconnected = (reason, text) => (s_reason, s_text) = (reason, text) };
        client.SetToken(token);
        return client;
    }

    private static void Connect(MessageClient client, string endpoint)
    {
        var isConnected = false;
        client.Connected = () => isConnected = true;
        s_reason = null;
        Require(client.Connect(endpoint, Long) == ClientStatus.Ok && !client.IsConnected, "connect");
        Until(client, () => isConnected || s_reason != null);
        Require(isConnected && client.IsConnected, "connected");
    }

    /// <summary>Polls, as the loop of a game does.</summary>
    private static void Until(MessageClient client, Func<bool> isDone)
    {
        for (var i = 0; !isDone(); i++)
        {
            Require(i < 10 * Long, "an end");
            client.Poll();
            if (!isDone())
                Thread.Sleep(1);
        }
    }

    private static Response<TReply> Ask<TReply>(MessageClient client, object message, int timeout = Long)
    {
        Response<TReply> response = null;
        var sent = client.Request<TReply>(message, timeout, one => response = one);
        Require(sent.Status == ClientStatus.Ok, message.GetType().Name + ": " + sent.Status);
        Until(client, () => response != null);
        return response;
    }

    private static string Text<TReply>(Response<TReply> response) => response.Status == ClientStatus.Fault ? "fault " + Render(response.Code) + " " + response.Text : response.Status.ToString();

    private static string End(MessageClient client)
    {
        s_reason = null;
        Until(client, () => s_reason != null);
        Require(client.State == ClientState.Idle && client.Reason == s_reason && client.ReasonText == s_text, "the end");
        return s_reason + ": " + s_text;
    }

    private static void Sum(MessageClient client)
    {
        Response<Total> total = null;
        client.Request(new Sum { Numbers = { 1, 2, -(1L << 62) } }, Long, one => total = one);
        Until(client, () => total != null);
        Print("Sum: " + Render(total.Value.Value) + ", mean " + total.Value.Mean.Value.ToString(CultureInfo.InvariantCulture) + ", at " + Render(total.Value.At.Ticks));
        Passed("a request gets its reply");

        var sums = new Dictionary<long, long>();
        for (var i = 0L; i < 64; i++)
        {
            var number = i;
            Require(client.Request(new Sum { Numbers = { i } }, Long, one => sums.Add(number, one.Value.Value)).Status == ClientStatus.Ok, "64 requests");
        }

        Until(client, () => sums.Count == 64);
        Require(sums.All(pair => pair.Key == pair.Value), "the own reply");
        Passed("many requests get their own replies");
    }

    private static void Shout(MessageClient client)
    {
        s_shouts.Clear();
        Require(new Shout().Times == 1, "default");
        for (var i = 0; i < 100; i++)
            Require(client.Send(new Shout { Text = Render(i) + " ß€😀", Times = 2 }) == ClientStatus.Ok, "send");
        Until(client, () => s_shouts.Count == 200);
        Require(s_shouts.Select(one => one.Text).SequenceEqual(Enumerable.Range(0, 200).Select(i => Render(i / 2) + " ß€😀")), "the order of events");
        Passed("events come back in order");
        Print("Shout: " + client.Send(new Shout { Text = "\uD800" }) + ", " + client.Send(new Shout { Text = null }) + ", " + client.Send<Shout>(null) + ", " + client.Send("text"));
        Require(client.Send(new Shout { Text = new string('x', 1 << 20) }) == ClientStatus.TooLarge && client.IsConnected, "too large");
        Passed("a message above the limit is refused here");

        Require(client.Send(new Sum()) == ClientStatus.InvalidValue && client.Send<object>(new Count()) == ClientStatus.InvalidValue, "requests");
        try
        {
            client.On<Sum>(_ => Require(false, "no event"));
            Require(false, "no handler");
        }
        catch (ArgumentException e)
        {
            Require(e.Message.EndsWith("Sum is a request, and not an event. Use OnRequest to answer it.", StringComparison.Ordinal), e.Message);
        }

        Passed("a request is not sent as an event");
    }

    /// <summary>The server asks this side while it answers.</summary>
    private static void AskBack(MessageClient client, bool fails)
    {
        s_onQuestion = (question, request) =>
        {
            if (fails)
                throw new InvalidOperationException("Not now.");
            Require(request.Reply(new Answer { Number = 2 * question.Number, ProcessId = -1 }) == ClientStatus.Ok && request.Fault(1000, "") == ClientStatus.Unknown, "one answer");
        };
        var response = Ask<Answer>(client, new AskBack { Number = 21 });
        Print("AskBack: " + (response.Status == ClientStatus.Ok ? Render(response.Value.Number) + " " + Render(response.Value.ProcessId) : Text(response) + " " + s_failure));
        Passed(fails ? "a failing handler of the client is a fault for the server" : "the server asks back while it is asked");

        var isCanceled = false;
        s_asked.Clear();
        s_onQuestion = (question, request) =>
        {
            request.Canceled = () => isCanceled = request.IsCanceled;
            s_asked.Add(request);
        };
        var sent = client.Request<Answer>(new AskBack { Number = 21 }, Long, one => Require(false, "no end"));
        Until(client, () => s_asked.Count == 1);
        Require(sent.Cancel() == ClientStatus.Ok && sent.Cancel() == ClientStatus.Unknown, "cancel");
        Until(client, () => isCanceled);
        Require(s_asked[0].Fault(FaultCodes.Canceled, "") == ClientStatus.Ok, "canceled");
        Passed("a handler sees that the server cancels its request");
    }

    private static void Faults(MessageClient client)
    {
        Print("Fail: " + Text(Ask<Answer>(client, new Fail { Code = 1234, Text = "No: ß" })));
        Print("Fail: " + Text(Ask<Answer>(client, new Fail())));
        Print("Question: " + Text(Ask<Answer>(client, new Question())));
        Passed("faults have their code and text");
        var response = Ask<object>(client, new Answer());
        Print("Answer: " + response.Status + ", " + (response.Value == null ? "no reply" : "a reply"));
        Passed("a request without a reply is acknowledged");
    }

    private static void Lines(MessageClient client)
    {
        var response = Ask<Lines>(client, new Repeat { Text = "again and again", Count = 1000 });
        if (s_brotli == null)
        {
            Print("Repeat: " + response.Status);
            return;
        }

        Require(response.Value.Text.All(line => line == "again and again"), "lines");
        Print("Repeat: " + Render(response.Value.Text.Count) + " lines");
        Passed("a compressed reply is read");
    }

    private static void Unanswered(MessageClient client)
    {
        Print("Wait: " + Ask<Answer>(client, new Wait(), 50).Status);
        var sent = client.Request<Answer>(new Wait(), Long, one => Require(false, "no end"));
        Print("Cancel: " + sent.Cancel() + ", " + sent.Cancel());
        Passed("a late request is canceled");
        for (var i = 0; i < 65; i++) // the server's streams are limited, so each was closed
            Require(Ask<object>(client, new Count { To = 3 }).Status == ClientStatus.Stream, "Count");
        Passed("a request for a stream is refused, and the stream is closed");
    }

    /// <summary>The server disconnects this side while requests wait.</summary>
    private static void Leave(MessageClient client)
    {
        var failed = 0;
        for (var i = 0; i < 64; i++)
            Require(client.Request<Answer>(new Wait(), Long, one => failed += one.Status == ClientStatus.ConnectionLost && s_reason == null ? 1 : 0).Status == ClientStatus.Ok, "64 requests");
        Print("The 65th request: " + client.Request<Answer>(new Wait(), Long, null).Status);
        Require(client.Send(new Leave { Reason = "Out: ß" }) == ClientStatus.Ok, "Leave");
        Print("Leave: " + End(client));
        Print("Requests that failed: " + Render(failed));
        Passed("a kick has its reason");
        Print("Afterwards: " + client.Send(new Leave()));
    }

    /// <summary>Contracts that differ from those of the server.</summary>
    private static void Differences(string endpoint, byte[] token)
    {
        var sum = Contracts.Sum;
        var total = Contracts.Total;
        for (var handles = 0; handles < 2; handles++)
        {
            using (var client = Create(new Contract[] { Other(sum, 2, sum.Shape), total }, token))
            {
                if (handles == 0)
                {
                    Connect(client, endpoint);
                    Print("Version 2: " + client.Request(new Sum(), Long, null).Status);
                    Passed("another contract is refused when it is sent");
                    continue;
                }

                client.OnRequest<Sum>((one, request) => { });
                Require(client.Connect(endpoint, Long) == ClientStatus.Ok, "connect");
                Print("Version 2: " + End(client));
                Passed("another contract of a handler is refused at connect");
            }
        }

        using (var client = Create(new Contract[] { Other(sum, 1, new ulong[] { 0x0000000112345678 }), total }, token))
        {
            Connect(client, endpoint);
            Print("Other field: " + client.Request(new Sum(), Long, null).Status + ", " + client.Send(new Leave()));
        }

        using (var client = Create(new Contract[] { sum, Other(total, 2, total.Shape) }, token))
        {
            Connect(client, endpoint);
            Print("Other reply: " + client.Request(new Sum(), Long, null).Status);
            Passed("another contract of a reply is refused");
        }
    }

    private static Contract<T> Other<T>(Contract<T> contract, int version, ulong[] shape)
        where T : class
    {
        return new Contract<T>(contract.Id, version, contract.Name, contract.Compressor, contract.Reply, contract.IsRequest, shape, contract.Pack, contract.Unpack);
    }

    /// <summary>Prints everything until the end of the connection.</summary>
    private static void Observe(MessageClient client, string endpoint)
    {
        client.Connected = () => Require(client.Request<Answer>(new Wait(), Long, one => Print("observe: " + Text(one))).Status == ClientStatus.Ok, "Wait"); // its id is 1
        Require(client.Connect(endpoint, Long) == ClientStatus.Ok, "connect");
        Print("observe: " + End(client));
        Print("unreadable " + Render(client.UnreadableMessages) + ", unhandled " + Render(client.UnhandledMessages));
    }

    private static int Find(int processId, string name)
    {
        var status = PublishedServer.Find(processId, name, out var server);
        if (server == null)
        {
            Print(status.ToString());
            return 0;
        }

        Print(status + ": " + server.Endpoint + ", " + Render(server.Token.Length) + " bytes");
        using (var client = Create(Contracts.All, server.Token))
            Connect(client, server.Endpoint);
        Print("connected");
        return 0;
    }

    private static readonly Type s_brotli = Type.GetType("System.IO.Compression.BrotliStream, System.IO.Compression.Brotli");

    /// <summary>Decompresses by the Brotli of a later framework, if the program runs on it.</summary>
    private static byte[] Decompress(string compressor, byte[] data, int size)
    {
        if (compressor != "brotli" || s_brotli == null)
            return null;
        var plain = new byte[size + 1];
        using (var stream = (System.IO.Stream)Activator.CreateInstance(s_brotli, new System.IO.MemoryStream(data), System.IO.Compression.CompressionMode.Decompress))
        {
            var count = 0;
            for (int read; count < plain.Length && (read = stream.Read(plain, count, plain.Length - count)) > 0;)
                count += read;
            Array.Resize(ref plain, count);
        }

        return plain;
    }

    private static byte[] Bytes(string hex) => hex == "none" ? null : Enumerable.Range(0, hex.Length / 2).Select(i => byte.Parse(hex.Substring(2 * i, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture)).ToArray();

    private static string Render(long value) => value.ToString(CultureInfo.InvariantCulture);

    private static void Require(bool isTrue, string what)
    {
        if (isTrue)
            return;
        Print("wrong: " + what);
        Environment.Exit(1);
    }

    /// <summary>Ends a step that Clients/live-tests.json lists.</summary>
    private static void Passed(string name) => Print("passed: " + name);

    private static void Print(string line)
    {
        var bytes = new System.Text.UTF8Encoding(false).GetBytes(line + "\n");
        using (var output = Console.OpenStandardOutput())
            output.Write(bytes, 0, bytes.Length);
    }
}
