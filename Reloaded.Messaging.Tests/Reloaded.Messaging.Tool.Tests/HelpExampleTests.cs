using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tool;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Each example of <c>--help</c> runs in a shell, in a folder with the files that it names, at a host with the endpoint that it names.</summary>
public sealed class HelpExampleTests : IDisposable
{
    private static readonly string[] s_commands = ["", "new", "key", "list", "watch", "decode", "export", "send", "request", "record", "replay"];

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    public static async Task<IEnumerable<TheoryDataRow<string>>> GetExamples()
    {
        var examples = new List<string>();
        foreach (var command in s_commands)
        {
            var help = (await Tool.RunAsync(command.Length == 0 ? ["--help"] : [command, "--help"])).Output.Split('\n');
            examples.AddRange(help.SkipWhile(static line => line != "Examples:").Skip(1).TakeWhile(static line => line.Length > 0).Select(static line => line.Trim()));
        }

        return examples.Distinct().Select(static example => new TheoryDataRow<string>(example));
    }

    [Theory]
    [MemberData(nameof(GetExamples))]
    public async Task Example_runs(string example)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The examples are lines of a shell of Unix.");
        var name = $"tool-{Guid.NewGuid():N}";
        var token = RandomNumberGenerator.GetBytes(32);
        using var certificate = CreateCertificate();
        var socket = PathOf("game.sock");
        await using var published = await ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, name), new MessageHostOptions());
        await using var tcp = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions());
        await using var unix = await ListenAsync(MessageEndpoint.Parse($"unix://{socket}"), new MessageHostOptions());
        await using var tls = await ListenAsync(MessageEndpoint.Tcp("localhost", 0, new TlsOptions { Certificate = certificate }), new MessageHostOptions { Token = token });
        WriteFiles(certificate, token);
        var line = example
            .Replace("reloaded-messaging ", $"dotnet '{typeof(Messaging.Tool.Schema).Assembly.Location}' ")
            .Replace("4711", $"{Environment.ProcessId}").Replace("--name game", $"--name {name}")
            .Replace("tcp://localhost:5000", tcp.Endpoint.ToString())
            .Replace("tcp://game.example:5000", $"tcp://localhost:{tls.Endpoint.Port}")
            .Replace("/run/user/1000/game.sock", socket)
            .Replace("--count 10 ", "--count 2 ").Replace("--seconds 60", "--seconds 0.1");
        if (example.Contains(" watch ", StringComparison.Ordinal) && !example.Contains("--count", StringComparison.Ordinal))
            line += " --count 1";
        if (example.Contains(" watch ", StringComparison.Ordinal))
            line = line.Replace(" watch ", " watch --interval 0.05 ");
        using var broadcasting = new System.Threading.Timer(_ => tcp.Broadcast(new Move(1, 2)), null, TimeSpan.Zero, TimeSpan.FromMilliseconds(1));

        var before = _folder.GetFiles().Select(static file => file.Name).ToList();

        var (exitCode, output, error) = await RunAsync(line);

        Assert.True((exitCode, error) == (0, ""), $"{line}\n{exitCode}: {error}\n{output}");
        Assert.True(output.Length > 0 || _folder.GetFiles().Any(file => file.Length > 0 && !before.Contains(file.Name)), $"{line} wrote nothing.");
    }

    private static Task<MessageServer> ListenAsync(MessageEndpoint endpoint, MessageHostOptions options) => MessageHost.ListenAsync(
        endpoint,
        static server =>
        {
            server.AllowInspection();
            server.On(static (in Move _, Peer _) => { });
            server.OnRequest(static (GetMods request) => new ModList([request.Filter], TimeSpan.Zero));
        },
        options);

    private static X509Certificate2 CreateCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        var now = DateTimeOffset.UtcNow;
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }

    private void WriteFiles(X509Certificate2 certificate, byte[] token)
    {
        File.Copy(Tool.Schema, PathOf("contracts.schema.json"));
        File.Copy(typeof(Move).Assembly.Location, PathOf("Game.dll"));
        File.WriteAllBytes(PathOf("capture.pcap"), new TestCapture().Tcp(1000, 5000, 10, "09050100000002000000").ToPcap());
        using var recording = new RecordingFile(PathOf("events.jsonl"), Recording.FormatStart("tcp://localhost:5000", DateTimeOffset.UnixEpoch, [MessageContract.GetDeclared<Move>()]));
        recording.Write(new RecordedMessage(TimeSpan.Zero, Convert.FromHexString("050100000002000000")));
        File.WriteAllText(PathOf("token.txt"), Convert.ToHexString(token));
        File.WriteAllText(PathOf("trusted.pem"), certificate.ExportCertificatePem());
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);

    private async Task<(int ExitCode, string Output, string Error)> RunAsync(string line)
    {
        var start = new ProcessStartInfo("sh", ["-c", line]) { WorkingDirectory = _folder.FullName, RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["SSL_CERT_FILE"] = PathOf("trusted.pem");
        using var process = Process.Start(start)!;
        var (output, error) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        await process.WaitForExitAsync(TestContext.Current.CancellationToken).InTime();
        return (process.ExitCode, await output, await error);
    }
}
