using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>One version of a program: a message <c>M</c>, a value of it, and what a receiver shows of a value. Compiled with the generator, and loaded beside other versions.</summary>
internal sealed class ContractVersion
{
    private readonly Type _program;

    private ContractVersion(Type program) => _program = program;

    /// <summary>Compiles and loads a version.</summary>
    /// <param name="messages">The declarations of <c>M</c> and of the types in it. The ids below 3 are taken.</param>
    /// <param name="value">The value that the version sends, as an expression.</param>
    /// <param name="show">What the version shows of a received message <c>m</c>, as the inside of an interpolated string.</param>
    public static ContractVersion Load(string messages, string value, string show)
    {
        var code = $$"""
            using System;
            using System.Collections.Generic;
            using System.Linq;
            using System.Threading.Tasks;
            using Reloaded.Messaging;
            using Reloaded.Messaging.Hosting;

            {{messages}}

            [Message(1)] public record Shown(string Text);
            [Message(2)] public record Question : IRequest<M>;

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
            }
            """;
        var image = GeneratorRunner.Emit(GeneratorRunner.Compile(code));
        return new ContractVersion(new AssemblyLoadContext("Version", isCollectible: true).LoadFromStream(new MemoryStream(image)).GetType("Program", throwOnError: true)!);
    }

    /// <summary>What this version shows of its own value.</summary>
    public string Own => Call<string>("ShowOwn");

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
        await using var server = await ListenAsync(receiver, there);
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

    private async Task<string> ExchangeAsync(ContractVersion other, string method)
    {
        await using var server = await ListenAsync(other, null);
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

    private static Task<MessageServer> ListenAsync(ContractVersion version, TaskCompletionSource<string>? mismatched) =>
        MessageHost.ListenAsync(MessageEndpoint.InProcess(Guid.NewGuid().ToString()), server =>
        {
            server.ContractMismatched += (_, mismatch) => mismatched?.TrySetResult(mismatch.Difference);
            version.Call<object?>("Handle", server);
        });

    private T Call<T>(string method, params object[] arguments) =>
        (T)_program.GetMethod(method)!.Invoke(null, BindingFlags.DoNotWrapExceptions, null, arguments, null)!;
}
