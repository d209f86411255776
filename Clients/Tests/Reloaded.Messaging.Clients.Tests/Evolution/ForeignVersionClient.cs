using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Text.Json.Nodes;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>A client in another language: a process that reads commands as JSON, one a line, and writes a line for each.</summary>
/// <param name="program">The program that runs the client.</param>
/// <param name="requirement">An expression for <paramref name="program"/> whose exit code is 0 where its version is new enough.</param>
/// <param name="missing">Why the tests are skipped where there is no such program.</param>
/// <param name="folder">The folder of the client, from that of the repository.</param>
/// <param name="arguments">What <paramref name="program"/> runs in that folder.</param>
internal abstract class ForeignVersionClient(string program, string[] requirement, string missing, string folder, string[] arguments) : IVersionClient, IDisposable
{
    private readonly Lazy<Process?> _process = new(() => Start(program, requirement, "") is { } check && HasSucceeded(check) ? Start(program, arguments, Path.Combine(RepositoryFolder.FullName, folder)) : null);

    /// <summary>The endpoint of a server for this client, at any port.</summary>
    protected abstract MessageEndpoint NewEndpoint();

    /// <summary>The token of that server; empty for none.</summary>
    protected virtual byte[] Token => [];

    /// <summary>The name of the error after a handshake in which a side refused the other.</summary>
    protected abstract string HandshakeError { get; }

    public void Require() => Assert.SkipWhen(_process.Value is null, missing);

    public async Task<string> SendAsync(ContractVersion own, ContractVersion server)
    {
        await using var host = await server.ListenAsync(NewEndpoint(), token: Token);
        var answer = await RunAsync("send", own, host);
        AssertIsOneOf(answer, "ContractMismatch", "Fault");
        return Text(answer, "text");
    }

    public async Task<string> AskAsync(ContractVersion own, ContractVersion server)
    {
        await using var host = await server.ListenAsync(NewEndpoint(), token: Token);
        var answer = await RunAsync("ask", own, host);
        AssertIsOneOf(answer, "ContractMismatch", "PayloadError");
        return answer["payload"] is null ? Text(answer, "text") : own.Read(Convert.FromHexString(Text(answer, "payload")));
    }

    public async Task<(string Here, string There)> AnnounceAsync(ContractVersion own, ContractVersion server)
    {
        var there = Signal.New<string>();
        await using var host = await server.ListenAsync(NewEndpoint(), there, Token);
        var answer = await RunAsync("announce", own, host);
        AssertIsOneOf(answer, HandshakeError);
        if (answer["error"] is null)
            return ("connected", Text(answer, "text"));
        Assert.Contains("WrongContract", Text(answer, "text"), StringComparison.Ordinal);
        return (Text(answer, "text"), await there.Task.InTime());
    }

    public void Dispose()
    {
        if (!_process.IsValueCreated || _process.Value is not { } process)
            return;
        process.StandardInput.Close(); // the client ends with its input
        process.WaitForExit(Deadline.Length);
        process.Dispose();
    }

    private static Process? Start(string program, string[] arguments, string folder)
    {
        try
        {
            return Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true, WorkingDirectory = folder });
        }
        catch (Win32Exception)
        {
            return null; // the program is not installed
        }
    }

    private static bool HasSucceeded(Process check)
    {
        using (check)
        {
            check.WaitForExit();
            return check.ExitCode == 0;
        }
    }

    private static string Text(JsonNode answer, string name) => (string)answer[name]!;

    private static void AssertIsOneOf(JsonNode answer, params string[] errors)
    {
        if ((string?)answer["error"] is { } error)
            Assert.Contains(error, errors);
    }

    private async Task<JsonNode> RunAsync(string command, ContractVersion own, MessageServer server)
    {
        var line = new JsonObject { ["do"] = command, ["port"] = server.Endpoint.Port, ["schema"] = JsonNode.Parse(own.Schema), ["payload"] = Convert.ToHexString(own.Payload), ["token"] = Convert.ToHexString(Token) }.ToJsonString();
        await _process.Value!.StandardInput.WriteLineAsync(line).InTime();
        await _process.Value.StandardInput.FlushAsync().InTime();
        var answer = await _process.Value.StandardOutput.ReadLineAsync().InTime();
        Assert.False(answer is null, $"The client ended: {line}");
        return JsonNode.Parse(answer!)!;
    }
}
