using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Servers with a token, encryption or TLS.</summary>
public sealed class ProtectedServerTests : IDisposable
{
    private const string Secret = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("tool-");
    private readonly string _file;

    public ProtectedServerTests()
    {
        _file = Path.Combine(_folder.FullName, "secret");
        File.WriteAllText(_file, Secret + "\n");
    }

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData(0, "--secret", Secret)]
    [InlineData(0, "--secret-file", "FILE")]
    [InlineData(3)]
    [InlineData(3, "--secret", "AA0102030405060708090A0B0C0D0E0F")]
    [InlineData(1, "--secret", "AA")]
    [InlineData(1, "--secret", Secret, "--secret-file", "FILE")]
    [InlineData(1, "--secret", Secret, "--protect", "--token", Secret)]
    public async Task Server_with_secret_accepts_the_same_secret_only(int exitCode, params string[] options)
    {
        await using var server = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { Protection = ProtectionOptions.WithSecret(Convert.FromHexString(Secret)) });

        await AssertAsync(exitCode, server, options, advice: "--secret-file");
    }

    [Theory]
    [InlineData(0, "--protect", "--token", Secret)]
    [InlineData(0, "--protect", "--token-file", "FILE")]
    [InlineData(3, "--token", Secret)]
    [InlineData(1, "--protect")]
    public async Task Server_with_key_exchange_needs_token_and_protect(int exitCode, params string[] options)
    {
        await using var server = await ListenAsync(MessageEndpoint.Udp("127.0.0.1", 0), new MessageHostOptions { Token = Convert.FromHexString(Secret), Protection = ProtectionOptions.WithToken() });

        await AssertAsync(exitCode, server, options, advice: "--protect");
    }

    [Theory]
    [InlineData(0, "--server-key", "KEY", "--token", Secret)]
    [InlineData(3, "--protect", "--token", Secret)]
    [InlineData(3, "--server-key", "OTHER", "--token", Secret)]
    [InlineData(1, "--server-key", "KEY")]
    [InlineData(1, "--server-key", "AAAA", "--token", Secret)]
    [InlineData(1, "--server-key", "KEY", "--token", Secret, "--secret", Secret)]
    public async Task Server_with_a_key_is_trusted_by_its_public_key(int exitCode, params string[] options)
    {
        var (file, key) = await MakeKeyAsync("server.pem");
        var (_, other) = await MakeKeyAsync("other.pem");
        await using var server = await ListenAsync(MessageEndpoint.Udp("127.0.0.1", 0), new MessageHostOptions { Token = Convert.FromHexString(Secret), Protection = ProtectionOptions.WithServerKeyFile(file) });

        await AssertAsync(exitCode, server, [.. options.Select(option => option == "KEY" ? key : option == "OTHER" ? other : option)], advice: "--server-key");
    }

    [Fact]
    public async Task Key_file_is_created_once_for_this_user_only()
    {
        var (file, key) = await MakeKeyAsync("server.pem");
        var text = await File.ReadAllTextAsync(file);

        var (_, again) = await MakeKeyAsync("server.pem");
        Assert.Equal(key, again);
        Assert.Equal(text, await File.ReadAllTextAsync(file));
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));

        foreach (var invalid in (string[])[_file, Path.Combine(_folder.FullName, "missing", "server.pem")])
        {
            var tool = await Tool.RunAsync("key", invalid);
            Assert.Equal(2, tool.ExitCode);
            Assert.Contains(invalid, tool.Error);
        }
    }

    private async Task<(string File, string Key)> MakeKeyAsync(string name)
    {
        var file = Path.Combine(_folder.FullName, name);
        var tool = await Tool.RunAsync("key", file);
        Assert.Equal(0, tool.ExitCode);
        return (file, tool.Output.Trim());
    }

    [Theory]
    [InlineData(0, "--tls-pin", "PIN")]
    [InlineData(3, "--tls")]
    [InlineData(3, "--tls-pin", Secret)]
    [InlineData(1, "--tls-pin", "AA")]
    public async Task Server_with_tls_is_trusted_by_its_thumbprint(int exitCode, params string[] options)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var now = DateTimeOffset.UtcNow;
        using var certificate = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256).CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        await using var server = await ListenAsync(MessageEndpoint.Tcp("127.0.0.1", 0, new TlsOptions { Certificate = certificate }), new MessageHostOptions());

        await AssertAsync(exitCode, server, [.. options.Select(option => option == "PIN" ? certificate.GetCertHashString(HashAlgorithmName.SHA256) : option)], advice: "--tls-pin");
    }

    [Fact]
    public async Task Wrong_token_names_the_options()
    {
        await using var server = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { Token = Convert.FromHexString(Secret) });

        await AssertAsync(3, server, [], advice: "--token-file");
    }

    [Theory]
    [InlineData("no/such/file", "cannot be read")]
    [InlineData("FILE", "neither hexadecimal digits nor base64")]
    public async Task Token_file_that_cannot_be_used_is_named(string file, string expected)
    {
        File.WriteAllText(_file, "secret!");
        var tool = await Tool.RunAsync("watch", "in-process://a", "--token-file", file == "FILE" ? _file : file);

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains(expected, tool.Error);
    }

    [Theory]
    [InlineData("token")]
    [InlineData("secret")]
    public async Task File_of_spaces_is_no_absent_secret(string name)
    {
        File.WriteAllText(_file, " \n");

        var tool = await Tool.RunAsync("watch", "in-process://a", $"--{name}-file", _file);

        Assert.Equal((2, $"The text of {_file} is empty, and not hexadecimal digits or base64. --{name}-file needs one of them.\n"), (tool.ExitCode, tool.Error));
    }

    [Theory]
    [InlineData("token-file", false)]
    [InlineData("secret-file", false)]
    [InlineData("token-file", true)]
    public async Task Empty_file_and_pipe_without_a_writer_are_refused(string name, bool isPipe)
    {
        Assert.SkipWhen(isPipe && OperatingSystem.IsWindows(), "Windows has no FIFO in a folder.");
        File.Delete(_file);
        if (isPipe)
            await Process.Start("mkfifo", _file).WaitForExitAsync(TestContext.Current.CancellationToken);
        else
            File.WriteAllText(_file, "");

        var tool = await Tool.RunAsync("watch", "in-process://a", $"--{name}", _file);

        Assert.Equal(2, tool.ExitCode);
        Assert.EndsWith($" cannot be read: '{_file}' is empty, or is a pipe or a device. Name a file with contents.\n", tool.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Token_of_spaces_is_no_absent_token()
    {
        var tool = await Tool.RunAsync("watch", "in-process://a", "--token", " ");

        Assert.Equal((1, "The value of --token is empty, and not hexadecimal digits or base64.\n"), (tool.ExitCode, tool.Error));
    }

    [Fact]
    public async Task Token_file_that_is_too_large_is_refused_with_its_size()
    {
        File.WriteAllText(_file, new string('A', 65_537));

        var tool = await Tool.RunAsync("watch", "in-process://a", "--token-file", _file);

        Assert.Equal(2, tool.ExitCode);
        Assert.Contains($"The file '{_file}' has 65537 bytes; the limit is 65536 bytes.", tool.Error);
    }

    private static Task<MessageServer> ListenAsync(MessageEndpoint endpoint, MessageHostOptions options) =>
        MessageHost.ListenAsync(endpoint, static server => server.OnRequest(static (GetMods request) => new ModList([request.Filter], TimeSpan.Zero)), options);

    private async Task AssertAsync(int exitCode, MessageServer server, string[] options, string advice)
    {
        var tool = await Tool.RunAsync(["request", server.Endpoint.ToString(), "GetMods", """{"Filter": "a"}""", "--schema", Tool.Schema, .. options.Select(option => option == "FILE" ? _file : option)]);

        Assert.True(exitCode == tool.ExitCode, tool.Error);
        if (exitCode == 0)
            Assert.Equal("{\"Names\":[\"a\"],\"Age\":\"00:00:00\"}\n", tool.Output);
        else if (exitCode == 3)
            Assert.Contains(advice, tool.Error);
    }
}
