using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Tests.Schemas;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The mistakes of new users, with the diagnostic or the text that each of them sees. None is silent.</summary>
public sealed class CommonMistakesTests
{
    private const string Handler = "await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => { {0} });";

    /// <summary>The statements and the types of a program, and the diagnostic of its build.</summary>
    public static TheoryData<string, string, string> BuiltMistakes { get; } = new()
    {
        { "new MessageWriter().Pack(new Plain(1)).Dispose();", "public record Plain(int X);", "RM2005 … 'Pack' needs a contract of 'Plain', and the type has none" },
        { "", "[Message(3)] public record One(int X); [Message(3)] public record Other(int X);", "RM1001 … have the same id 3. Give one of them another id." },
        { "", "[Message(-1)] public record One(int X);", "RM1002 … an id must be in the range 0 to" },
        { "", "[Message(4294967295)] public record One(int X);", "RM1014 … Choose an id from 0 to 4294901759." },
        { "", "[Message(3)] public record One(object X);", "RM1003 … which cannot be sent in a message" },
        { "", "[Message(3)] public record Pair<T>(T X);", "RM1004 … cannot be a message" },
        { "", "[Message(3)] public abstract record One(int X);", "RM1004 … cannot be a message" },
        { "", "file class Outer { [Message(3)] private record One(int X); }", "RM1004 … cannot be a message" },
        { "", "[Message(3)] public class One { public int X { get; private set; } }", "RM1005 … The receiver cannot set" },
        { "", "[Message(3)] public class One { public int X; string _name = \"\"; public override string ToString() => _name; }", "RM1017 … is not public, so it is not sent with 'One'. Make it public, or mark it [MessageIgnore]." },
        { "var packed = new MessageWriter().Pack(new Move(1)); packed.Dispose(); Console.WriteLine(packed.Length);", "", "RM2002 … is used after" },
        { "var packed = new MessageWriter().Pack(new Move(1)); packed.Dispose(); packed.Dispose();", "", "RM2002 … released" },
        { "var packed = new MessageWriter().Pack(new Move(1)); Console.WriteLine(packed.Length);", "", "RM2001 … The message that 'Pack' returns" },
        { Handler.Replace("{0}", "host.OnRequest((Ask ask) => new Move(1));", StringComparison.Ordinal), "", "RM2008 … Use the declared reply, or change the declaration." },
        { Handler.Replace("{0}", "host.On<Move>(OnMove);", StringComparison.Ordinal) + " async void OnMove(Move move) => await Task.Yield();", "", "RM2009 … Return a task" },
        { Handler.Replace("{0}", "host.OnRequest((Ask ask, Peer from) => from.RequestAsync(new Ask(1)).AsTask().Result);", StringComparison.Ordinal), "", "RM2006 … Make the handler asynchronous and await." },
        { Handler.Replace("{0}", "host.On((Move move, Peer from) => Thread.Sleep(100));", StringComparison.Ordinal), "", "RM2006 … Make the handler asynchronous and await." },
        { Handler.Replace("{0}", "host.On((Move move, Peer from) => Task.Delay(100).Wait());", StringComparison.Ordinal), "", "RM2006 … Make the handler asynchronous and await." },
        { Handler.Replace("{0}", "host.On(async (Move move, Peer from) => await host.StopAsync());", StringComparison.Ordinal), "", "RM2006 … Start 'StopAsync' without awaiting it." },
        { Handler.Replace("{0}", "host.On((Move move, Peer from) => from.SendAsync(move));", StringComparison.Ordinal), "", "RM2007 … Make the handler asynchronous and await the call." },
        { Handler.Replace("{0}", "host.On((Ask ask) => Console.WriteLine(ask));", StringComparison.Ordinal), "", "RM2014 … 'On' is for events. Use 'OnRequest'" },
        { Handler.Replace("{0}", "host.On((Move move, string from) => { });", StringComparison.Ordinal), "", "CS1678 … Parameter 2 is declared as type 'string' but should be 'Reloaded.Messaging.Hosting.Peer'" },
        { Handler.Replace("{0}", "host.Broadcast(new Ask(1));", StringComparison.Ordinal), "", "RM2014 … 'Broadcast' is for events. Use 'RequestAsync'" },
        { Handler.Replace("{0}", "host.On((in Move move, Peer from) => { move.X = 2; });", StringComparison.Ordinal), "", "CS8332 … because it is a readonly variable" },
        { "await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(5000)); client.Send(new Move(1));", "", "RM2004 … 'Send' may refuse the message. Check the status" },
        { "await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(5000), host => host.Send(new Move(1)));", "", "RM2004 … 'Send' may refuse the message. Check the status" },
        { "await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(5000)); _ = client.Send(new Text(null));", "", "CS8625 … Cannot convert null literal" },
    };

    /// <summary>The statements of a program that builds without a warning, and the text that its user sees.</summary>
    public static TheoryData<string, string> RunMistakes { get; } = new()
    {
        { "await using var server = await ListenAsync(host => { host.On((Note note) => { }); host.On((Note note) => { }); });", "InvalidOperationException: Message type 3 has a handler already, for Note" },
        { "return await AskAsync(host => host.OnRequest((Ask ask) => Fail<Answer>()));", "RequestFaultException: The handler of Ask failed." },
        { "return await AskAsync(host => host.OnRequest((Ask ask) => (Answer)null!));", "RequestFaultException: The reply Answer was not sent, because it cannot be packed. The event HandlerFailed of the replying side reports the exception." },
        { "return await AskAsync(host => { });", "RequestFaultException: Ask: No handler is registered for requests of type 1." },
        { "return await AskAsync(host => host.On((Ask ask) => { }));", "RequestFaultException: Ask: This type has a handler of events. Register the handler by OnRequest, or send the message as an event." },
        { "return await AskAsync(host => host.OnRequest((Ask ask) => new Answer(new string('a', 2_000_000))));", "RequestFaultException: The reply Answer was not sent. It is at least 2,000,008 bytes; the limit is 1,048,576." },
        { "return await AskAsync(host => host.OnRequest(async (Ask ask) => { await host.DisposeAsync(); return new Answer(\"\"); }));", " ended: Goodbye, Requested. The remote side may have handled the request." },
        { "return await AskAsync(host => host.OnRequest((Ask ask) => new Answer(\"\")), text: new string('a', 2_000_000));", "MessageTooLargeException: Ask takes 2000008 bytes or more, and the limit MaxMessageSize is 1048576." },
        { "return await SendAsync(host => host.On((Note note) => Fail<int>()));", "HandlerFailed: The day has no number." },
        { "return await SendAsync(host => host.On((Note note) => { }), new MessageHostOptions { IsPumped = true, RequestTimeout = TimeSpan.FromMilliseconds(100) });", "PumpStalled: 1 message waits." },
        { "await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(FreePort()));", "Connection refused. Is the server running, and are the address and the port right?" },
        { "await using var server = await ListenAsync(host => { }); await using var other = await MessageHost.ListenAsync(server.Endpoint);", "InvalidOperationException: Another socket already listens at tcp://127.0.0.1:" },
        { "return await ConnectAsync(new() { Token = new byte[32] }, new() { Token = Enumerable.Repeat((byte)1, 32).ToArray() });", "the tokens of the two sides differ. Give both MessageHostOptions the same Token." },
        { "return await ConnectAsync(new() { Token = new byte[32] }, new());", "the tokens of the two sides differ. Give both MessageHostOptions the same Token." },
        { "return await ConnectAsync(new() { Token = new byte[8] }, new());", "it needs at least 16. Create one with RandomNumberGenerator.GetBytes(32)." },
        { "return await ConnectAsync(new() { Protection = ProtectionOptions.WithSecret(new byte[32]) }, new());", "Check the endpoint, and that TlsOptions and MessageHostOptions.Protection are the same on the two sides." },
        { "await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(\"0.0.0.0\", 0));", "InvalidOperationException: tcp://0.0.0.0:0 can be reached from other machines, but the server does not authenticate its clients" },
        { "await using var server = await ListenAsync(host => { }); await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Udp(server.Endpoint.Port));", "Connection refused. Is the server running, and are the address and the port right?" },
        { "await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0)); await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(server.Endpoint.Port));", "Connection refused. Is the server running, and are the address and the port right?" },
        { "var port = Speak(\"SSH-2.0-OpenSSH_9.2\\r\\n\"); await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp(port));", "the remote side does not use this protocol" },
        { "return await TrustAsync(Certify(), new TlsOptions());", "this system does not trust the certificate of the server (self-signed certificate). Pin its thumbprint with TlsOptions.PinnedThumbprint" },
        { "return await TrustAsync(Certify(), new TlsOptions { PinnedThumbprint = new string('A', 64) });", "If the server has a new certificate, pin its thumbprint. Otherwise, this is another server." },
        { "return await DifferAsync(new MessageContract<Note>(3, new JsonMessageSerializer<Note>(System.Text.Json.JsonSerializerOptions.Default.GetTypeInfo(typeof(Note)) as System.Text.Json.Serialization.Metadata.JsonTypeInfo<Note>)));", "the serializer is json here and binary there." },
        { "return await DifferAsync(new MessageContract<Other>(3, MessageContract.GetDeclared<Other>().Serializer));", "field 1 of Other is Number (int32) here and Text (string) there." },
        { "return await DifferAsync(new MessageContract<Note>(3, MessageContract.GetDeclared<Note>().Serializer, new CompressionOptions(new BrotliCompressor())));", "the compressor is brotli here and none there; both sides need the same format." },
        { "await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0)); await using var client = await MessageHost.ConnectAsync(server.Endpoint); client.Send(new Note(new string('a', 100_000)));", "send the event by DeliveryMode.ReliableOrdered, or have maxFragments of MessageEndpoint.Udp divide it." },
        { "await using var server = await ListenAsync(host => host.OnRequest(async (Ask ask) => { await Task.Delay(-1); return new Answer(\"\"); })); await using var client = await MessageHost.ConnectAsync(server.Endpoint); var asking = client.RequestAsync(new Ask(\"\")); await server.DisposeAsync(); await asking;", "ended: Goodbye, Requested. The remote side may have handled the request." },
        { "SendStatus? early = null; await using var server = await ListenAsync(host => { }); await using var client = await MessageHost.ConnectAsync(server.Endpoint, host => early = host.Send(new Note(\"\"))); return $\"{early}\";", "Closed" },
        { "return await PumpTwiceAsync();", "InvalidOperationException: Another thread is inside Pump of this host. Call Pump on one thread at a time." },
        { "var packed = new MessageWriter().Pack(new Note(\"\")); packed.Dispose(); packed.CopyTo(new byte[10]);", "ObjectDisposedException: This packed message was released" },
        { "var packed = new MessageWriter().Pack(new Note(null!)); packed.Dispose();", "Note.Text is null, and its type says that it never is. Set it before sending, or declare it nullable on both ends." },
    };

    [Theory]
    [MemberData(nameof(BuiltMistakes))]
    public async Task Build_reports_the_mistake(string statements, string types, string seen)
    {
        var (_, found) = await ConsoleProgram.CompileAsync($$"""
            using Reloaded.Messaging;
            using Reloaded.Messaging.Hosting;

            {{statements}}
            Console.WriteLine();

            [Message(100)] public record struct Move(float X);
            [Message(101)] public record Ask(int X) : IRequest<Answer>;
            [Message(102)] public record Answer(int X);
            [Message(103)] public record Text(string Value);
            {{types}}
            """);

        var parts = seen.Split(" … ");
        Assert.Contains(found, one => one.Id == parts[0] && one.GetMessage(CultureInfo.InvariantCulture).Contains(parts.ElementAtOrDefault(1) ?? "", StringComparison.Ordinal));
        Assert.All(found, one => Assert.Contains(one.Id, (string[])[parts[0], "CS1661"])); // at a lambda of the wrong type, the compiler reports a second error
    }

    [Theory]
    [MemberData(nameof(RunMistakes))]
    public void Run_shows_the_mistake(string statements, string seen)
    {
        var program = GeneratorRunner.Compile($$"""
            using System;
            using System.Linq;
            using System.Net;
            using System.Net.Sockets;
            using System.Security.Cryptography;
            using System.Security.Cryptography.X509Certificates;
            using System.Threading;
            using System.Threading.Tasks;
            using Reloaded.Messaging;
            using Reloaded.Messaging.Hosting;

            [Message(1)] public record Ask(string Text) : IRequest<Answer>;
            [Message(2)] public record Answer(string Text);
            [Message(3)] public record Note(string Text);
            [Message(4)] public record Other(int Number);

            #nullable disable
            #pragma warning disable CS0162, CS1998
            public static class Test
            {
                private static readonly TaskCompletionSource<string> s_told = new();

                public static string Run() => Task.Run(RunAsync).WaitAsync(TimeSpan.FromSeconds({{Deadline.Length.TotalSeconds}})).GetAwaiter().GetResult();

                private static async Task<string> RunAsync()
                {
                    try
                    {
                        {{statements}}
                    }
                    catch (Exception e)
                    {
                        return $"{e.GetType().Name}: {e.Message}";
                    }

                    return "Nothing.";
                }

                private static T Fail<T>() => throw new FormatException("The day has no number.");

                private static Task<MessageServer> ListenAsync(Action<MessageServer> register, MessageHostOptions options = null) => MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host =>
                {
                    host.HandlerFailed += failure => s_told.TrySetResult($"HandlerFailed: {failure.Exception.Message}");
                    host.PumpStalled += stall => s_told.TrySetResult($"PumpStalled: {stall.Messages} message waits.");
                    register(host);
                }, options);

                private static async Task<string> AskAsync(Action<MessageServer> register, string text = "")
                {
                    await using var server = await ListenAsync(register);
                    await using var client = await MessageHost.ConnectAsync(server.Endpoint);
                    return (await client.RequestAsync(new Ask(text))).Text;
                }

                private static async Task<string> SendAsync(Action<MessageServer> register, MessageHostOptions options = null)
                {
                    await using var server = await ListenAsync(register, options);
                    await using var client = await MessageHost.ConnectAsync(server.Endpoint);
                    await client.SendAsync(new Note(""));
                    return await s_told.Task;
                }

                private static async Task<string> ConnectAsync(MessageHostOptions here, MessageHostOptions there)
                {
                    await using var server = await ListenAsync(host => { }, here);
                    await using var client = await MessageHost.ConnectAsync(server.Endpoint, options: there);
                    return "Connected.";
                }

                private static async Task<string> DifferAsync(MessageContract contract)
                {
                    await using var server = await ListenAsync(host => host.On((Note note) => { }));
                    await using var client = await MessageHost.ConnectAsync(server.Endpoint, host => host.AnnounceContract(contract));
                    return "Connected.";
                }

                private static async Task<string> TrustAsync(X509Certificate2 certificate, TlsOptions options)
                {
                    await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp("127.0.0.1", 0, new TlsOptions { Certificate = certificate }));
                    await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Tcp("127.0.0.1", server.Endpoint.Port, options));
                    return "Connected.";
                }

                private static async Task<string> PumpTwiceAsync()
                {
                    var (inside, leave) = (new TaskCompletionSource(), new ManualResetEventSlim());
                    await using var server = await ListenAsync(host => host.On((Note note) => { inside.SetResult(); leave.Wait(); }), new MessageHostOptions { IsPumped = true });
                    await using var client = await MessageHost.ConnectAsync(server.Endpoint);
                    await client.SendAsync(new Note(""));
                    var pumping = Task.Run(() => { while (!inside.Task.IsCompleted) server.Pump(); });
                    await inside.Task;
                    try
                    {
                        server.Pump();
                    }
                    finally
                    {
                        leave.Set();
                        await pumping;
                    }

                    return "Pumped.";
                }

                private static X509Certificate2 Certify()
                {
                    using var key = RSA.Create(2048);
                    var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
                    var names = new SubjectAlternativeNameBuilder();
                    names.AddIpAddress(IPAddress.Loopback);
                    request.CertificateExtensions.Add(names.Build());
                    return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
                }

                private static int FreePort()
                {
                    using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
                    socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                    return ((IPEndPoint)socket.LocalEndPoint).Port;
                }

                private static int Speak(string text)
                {
                    var listener = new TcpListener(IPAddress.Loopback, 0);
                    listener.Start();
                    _ = Task.Run(async () =>
                    {
                        using var accepted = await listener.AcceptSocketAsync();
                        accepted.Send(System.Text.Encoding.ASCII.GetBytes(text));
                        accepted.Receive(new byte[1000]);
                        listener.Stop();
                    });
                    return ((IPEndPoint)listener.LocalEndpoint).Port;
                }
            }
            """);

        Assert.Contains(seen, GeneratorRunner.Run(GeneratorRunner.Emit(program)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("[Message(1)] public record M(long A);", "RM1012 … The type of the field 'A' of 'M' was i4 and is i8; raise Version, or append")]
    [InlineData("[Message(1)] public record M(int A); [Message(2)] public record N(int A);", "RM1013 … differs from the contracts of this assembly: run 'dotnet build -p:WriteMessageSchema=true', and commit the file")]
    public async Task Build_with_a_committed_schema_reports_the_mistake(string changed, string seen)
    {
        var found = Assert.Single(await SchemaRunner.CompareAsync(SchemaRunner.Write("[Message(1)] public record M(int A);"), changed));

        Assert.Equal(seen.Split(" … ")[0], found.Id);
        Assert.Contains(seen.Split(" … ")[1], found.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }
}
