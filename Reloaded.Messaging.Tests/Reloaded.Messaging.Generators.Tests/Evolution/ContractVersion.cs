using System.Collections.Concurrent;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>One version of a program: a message <c>M</c>, a value of it, and what a receiver shows of a value. Compiled with the generator, and loaded beside other versions.</summary>
internal sealed class ContractVersion
{
    private const string Usings = "using System;\nusing System.Collections.Generic;\nusing System.Linq;\nusing System.Numerics;\nusing Reloaded.Messaging;\nusing Reloaded.Messaging.Hosting;\n";

    private const string Questions = """
        [Message(1)] public record Shown(string Text);
        [Message(2)] public record Question : IRequest<M>;
        """;

    private static readonly ConcurrentDictionary<(string, string, string), Lazy<ContractVersion>> s_loaded = new();

    private readonly Type _program;
    private readonly Lazy<string> _schema;

    private ContractVersion(string messages, string value, string show)
    {
        var code = $$"""
            using System;
            using System.Collections.Generic;
            using System.Linq;
            using System.Threading.Tasks;
            using Reloaded.Messaging;
            using Reloaded.Messaging.Hosting;

            {{messages}}

            {{Questions}}

            public static class Program
            {
                public static M Value => {{value}};
                public static string ShowOwn() => Show(Value);
                public static string Show(M m) => FormattableString.Invariant($"{{show}}");
                public static void Announce(MessageHost host) => host.AnnounceContract(MessageContract.GetDeclared<M>());
                public static void Handle(MessageHost host)
                {
                    host.OnRequest((M m) => new Shown(Show(m)));
                    host.OnRequest((Question _) => Value);
                }

                public static async Task<string> SendAsync(Peer peer) => (await peer.RequestAsync<M, Shown>(Value)).Text;
                public static async Task<string> AskAsync(Peer peer) => Show(await peer.RequestAsync<Question, M>(new Question()));

                public static byte[] Write()
                {
                    using var packed = new MessageWriter().Pack(Value);
                    return packed.Span.Slice(1).ToArray(); // without the header
                }

                public static string Read(byte[] payload) => MessageContract.GetDeclared<M>().Serializer.TryDeserialize(payload, out var m) ? Show(m) : "The payload is malformed.";
            }
            """;
        var image = GeneratorRunner.Emit(GeneratorRunner.Compile(code));
        _program = new AssemblyLoadContext("Version", isCollectible: true).LoadFromStream(new MemoryStream(image)).GetType("Program", throwOnError: true)!;
        _schema = new(() => GeneratorRunner.WriteSchema(GeneratorRunner.Create($"{Usings}{messages}\n{Questions}", name: "Game")));
    }

    /// <summary>What this version shows of its own value.</summary>
    public string Own => Call<string>("ShowOwn");

    /// <summary>The payload of the value of this version.</summary>
    public byte[] Payload => Call<byte[]>("Write");

    /// <summary>The schema of this version, as the generator writes it.</summary>
    public string Schema => _schema.Value;

    /// <summary>Compiles and loads a version, unless this was done before.</summary>
    /// <param name="messages">The declarations of <c>M</c> and of the types in it. The ids below 3 are taken.</param>
    /// <param name="value">The value that the version sends, as an expression.</param>
    /// <param name="show">What the version shows of a received message <c>m</c>, as the inside of an interpolated string.</param>
    public static ContractVersion Load(string messages, string value, string show) =>
        s_loaded.GetOrAdd((messages, value, show), static key => new(() => new ContractVersion(key.Item1, key.Item2, key.Item3))).Value;

    /// <summary>What this version shows of a payload.</summary>
    public string Read(byte[] payload) => Call<string>("Read", payload);

    /// <summary>Sends the value of this version in a request.</summary>
    /// <returns>What the receiver shows; or the text of the exception.</returns>
    public Task<string> SendAsync(ContractVersion receiver) => ExchangeAsync(receiver, "SendAsync");

    /// <summary>Requests the value of a server of another version.</summary>
    /// <returns>What this version shows; or the text of the exception.</returns>
    public Task<string> AskAsync(ContractVersion server) => ExchangeAsync(server, "AskAsync");

    /// <summary>Connects to a server of another version, with an announcement of the contract.</summary>
    /// <returns>"connected"; or the text of the exception, and the difference in the event of the server.</returns>
    public async Task<(string Here, string There)> AnnounceAsync(ContractVersion receiver)
    {
        var there = Signal.New<string>();
        await using var server = await receiver.ListenAsync(NewEndpoint(), there);
        try
        {
            await using var client = await MessageHost.ConnectAsync(server.Endpoint, client => Call<object?>("Announce", client)).InTime();
            return ("connected", "connected");
        }
        catch (HandshakeException e) when (e.Reason == DisconnectReason.WrongContract)
        {
            return (e.Message, await there.Task.InTime());
        }
    }

    /// <summary>Starts a server of this version.</summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="mismatched">Gets the first difference that the server finds.</param>
    /// <param name="token">The token; empty for none.</param>
    public Task<MessageServer> ListenAsync(MessageEndpoint endpoint, TaskCompletionSource<string>? mismatched = null, byte[]? token = null) => MessageHost.ListenAsync(
        endpoint,
        server =>
        {
            server.ContractMismatched += (_, mismatch) => mismatched?.TrySetResult(mismatch.Difference);
            Call<object?>("Handle", server);
        },
        new MessageHostOptions { Token = token });

    private async Task<string> ExchangeAsync(ContractVersion other, string method)
    {
        await using var server = await other.ListenAsync(NewEndpoint());
        await using var client = await MessageHost.ConnectAsync(server.Endpoint).InTime();
        try
        {
            return await Call<Task<string>>(method, client.Server).InTime();
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException)
        {
            return e.Message;
        }
    }

    private static MessageEndpoint NewEndpoint() => MessageEndpoint.InProcess(Guid.NewGuid().ToString());

    private T Call<T>(string method, params object[] arguments) =>
        (T)_program.GetMethod(method)!.Invoke(null, BindingFlags.DoNotWrapExceptions, null, arguments, null)!;
}
