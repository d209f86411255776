using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Runtime.Versioning;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.CSharp2Client;

/// <summary>The client for netstandard2.0 against live servers: that of the other clients' tests, and servers that send what a test says. On Mono, it is the build for .NET Framework 4.7.2, and once that for netstandard2.0.</summary>
public sealed class CSharp2ClientTests
{
    private const string Sum = "Reloaded.Messaging.Tests.PeerProcess.Languages.Sum";

    [Theory]
    [InlineData(false, "none")]
    [InlineData(false, "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")]
    [InlineData(true, "none")]
    [InlineData(true, "none", CSharp2Program.NetStandard)]
    [InlineData(true, "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")]
    public async Task Server_and_client_send_requests_events_and_faults_to_each_other(bool onMono, string token, string framework = CSharp2Program.NetFramework)
    {
        var program = await GetProgramAsync(onMono, framework);
        await using var server = await ServerProcess.StartAsync(ServerProcess.Peer, [], "languages", token, "0");

        var lines = await program.RunAsync(onMono, [], $"tcp://127.0.0.1:{server.Ready}", token);

        LiveTests.AssertPassed("csharp2", typeof(CSharp2ClientTests), lines, onMono ? "a compressed reply is read" : ""); // Mono has no Brotli
        Assert.Equal(
            [
                .. Round("42 -1", onMono),
                .. Round("fault 1 The handler of AskBack failed. Not now.", onMono),
                "Version 2: WrongContract",
                $"Version 2: WrongContract: The contracts of message type 31 ({Sum} on this side, {Sum} on the remote side) differ: the version is 2 here and 1 there.",
                "Other field: WrongContract, Unknown",
                "Other reply: WrongContract",
                token == "none" ? "Wrong token: WrongToken: The server has no token." : "Wrong token: WrongToken: ",
                "15 bytes: WeakToken",
                "Endpoints: NotLocal, NotLocal, InvalidEndpoint, InvalidEndpoint, InvalidEndpoint",
                "No server: ConnectionLost: ",
            ],
            LiveTests.Steps(lines));
    }

    [Fact]
    public async Task Items_and_reports_of_requests_are_refused()
    {
        var program = await GetProgramAsync(onMono: false);
        await LiveTests.AssertRefusesItemsAsync(endpoint => program.RunAsync(onMono: false, [], "observe", endpoint, "none"));
    }

    [Fact]
    public async Task Hostile_bytes_of_a_server_have_their_effect()
    {
        foreach (var (bytes, reason, text) in LiveTests.Hostile)
            Assert.StartsWith($"observe: {reason}: {text}", (await ObserveAsync(bytes, "none"))[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Handshakes_of_a_hostile_server_are_refused()
    {
        foreach (var (bytes, reason) in LiveTests.Handshakes)
        {
            var lines = await ObserveAsync(bytes, "none");
            Assert.Equal(2, lines.Length);
            Assert.StartsWith($"observe: {reason}: ", lines[0], StringComparison.Ordinal);
        }
    }

    /// <summary>The bytes follow a handshake, and the server then closes.</summary>
    [Theory]
    [InlineData("0F7F0403124279653A20C29FE282AC07", "observe: ConnectionLost", "observe: Kicked: Bye: ?€?", "unreadable 0, unhandled 0")]
    [InlineData("027F05 0503AABBCCDD 067F0200630102", "observe: ConnectionLost", "observe: ConnectionLost: ", "unreadable 1, unhandled 2")]
    [InlineData("077F030501E8076E", "observe: fault 1000 n", "observe: ConnectionLost: ", "unreadable 0, unhandled 0")]
    [InlineData("057F030501FF", "observe: InvalidPayload", "observe: ConnectionLost: ", "unreadable 0, unhandled 0")]
    [InlineData("0C7F02A080FCFF0F0101000000", "observe: Stream", "observe: ConnectionLost: ", "unreadable 0, unhandled 0")]
    [InlineData("057F02630102", "observe: WrongContract", "observe: ConnectionLost: ", "unreadable 0, unhandled 0")]
    [InlineData("047F040101 047F010207 017E", "observe: ConnectionLost", "observe: ConnectionLost: ", "unreadable 0, unhandled 1")]
    [InlineData("031E0501", "observe: ConnectionLost", "observe: ConnectionLost: ", "unreadable 1, unhandled 0")] // an event whose payload is cut short
    public async Task Bytes_of_a_server_are_counted(string bytes, params string[] expected) => Assert.Equal(expected, await ObserveAsync(LiveTests.Hellos + bytes, "none"));

    [Theory]
    [InlineData("none", "1D7F0400524C4D340100808040101112131415161718191A1B1C1D1E1F01", "observe: NotAPeer: The hello cannot be read.")]
    [InlineData("none", "297F0400524C4D330101808040101112131415161718191A1B1C1D1E1F02FFFFFFFF0F01010000000001", "observe: WrongToken: The server has a token.")]
    [InlineData("none", "077F040308466FFF", "observe: TooManyPeers: ")]
    [InlineData("000102030405060708090A0B0C0D0E0F", "297F0400524C4D330101808040101112131415161718191A1B1C1D1E1F02FFFFFFFF0F01010000000001 237F04000000000000000000000000000000000000000000000000000000000000000000", "observe: WrongToken: The server does not know the token.")]
    public async Task Handshake_that_is_refused_has_a_text(string token, string bytes, string expected) => Assert.Equal([expected, "unreadable 0, unhandled 0"], await ObserveAsync(bytes, token));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_server_that_is_published_over_TCP_is_found_with_its_token(bool onMono)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Published servers are found on Linux only.");
        var program = await GetProgramAsync(onMono);
        var name = $"csharp2-{Guid.NewGuid():N}";
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static _ => { }, new MessageHostOptions { PublishedName = name });

        var lines = await program.RunAsync(onMono, [], "find", $"{Environment.ProcessId}", name);

        Assert.Equal([$"Ok: tcp://127.0.0.1:{server.Endpoint.Port}, 32 bytes", "connected"], lines);
        Assert.Equal(["Unknown"], await program.RunAsync(onMono, [], "find", "1", name));
    }

    [Theory]
    [InlineData(UnixFileMode.None, UnixFileMode.None, "Unknown")] // its process has ended
    [InlineData(UnixFileMode.GroupRead, UnixFileMode.None, "NotPrivate")]
    [InlineData(UnixFileMode.None, UnixFileMode.OtherExecute, "NotPrivate")]
    [UnsupportedOSPlatform("windows")]
    public async Task An_entry_that_other_users_can_access_is_refused(UnixFileMode ofFile, UnixFileMode ofFolder, string expected)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Published servers are found on Linux only.");
        var program = await GetProgramAsync(onMono: false);
        var runtime = Directory.CreateTempSubdirectory("rm-").FullName;
        var folder = Path.Combine(runtime, "reloaded-messaging");
        var entry = Path.Combine(folder, "servers", $"game.{Environment.ProcessId}");
        Directory.CreateDirectory(folder, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Directory.CreateDirectory(Path.GetDirectoryName(entry)!, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        await File.WriteAllTextAsync(entry, $"reloaded-messaging server 1\nprocess {Environment.ProcessId} 1\nTcp 7777 own 127.0.0.1\ntoken AAAA\n", TestContext.Current.CancellationToken);
        File.SetUnixFileMode(entry, UnixFileMode.UserRead | UnixFileMode.UserWrite | ofFile);
        File.SetUnixFileMode(folder, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute | ofFolder);

        Assert.Equal([expected], await program.RunAsync(onMono: false, [("XDG_RUNTIME_DIR", runtime)], [], "find", $"{Environment.ProcessId}", "game"));

        Directory.Delete(runtime, recursive: true);
    }

    /// <summary>The program of the README, with the parts of Unity that it uses.</summary>
    [Fact]
    public async Task Program_of_the_readme_runs()
    {
        const string Unity = """

            namespace UnityEngine
            {
                public class MonoBehaviour
                {
                }

                public static class Debug
                {
                    public static void Log(string text) => System.Console.WriteLine(text);
                }
            }

            internal static class Program
            {
                public static void Main()
                {
                    var mod = new MyMod();
                    Call(mod, "Awake");
                    for (var frame = 0; frame < 60; frame++)
                    {
                        Call(mod, "Update");
                        System.Threading.Thread.Sleep(16);
                    }

                    Call(mod, "OnDestroy");
                }

                private static void Call(MyMod mod, string name) => typeof(MyMod).GetMethod(name, System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Instance).Invoke(mod, null);
            }
            """;
        await using var server = await ServerProcess.StartAsync(ServerProcess.Peer, [], "languages", "none", "0");
        var readme = await File.ReadAllTextAsync(Path.Combine(CSharp2Program.Folder, "README.md"), TestContext.Current.CancellationToken);
        var file = Path.Combine(Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "csharp2")).FullName, "Readme.cs");
        await File.WriteAllTextAsync(file, Regex.Match(readme, "```csharp\n(.*?)```", RegexOptions.Singleline).Groups[1].Value.Replace("7777", server.Ready, StringComparison.Ordinal) + Unity, TestContext.Current.CancellationToken);
        var program = await CSharp2Program.GetAsync(CSharp2Program.NetStandard, LiveTests.Schema, file);

        Assert.Equal(["connected", "6", "hello"], await program.RunAsync(onMono: false, []));
    }

    [Theory]
    [InlineData(CSharp2Program.NetStandard, "netstandard")]
    [InlineData(CSharp2Program.NetFramework, "System", "System.Core", "mscorlib")]
    public async Task Client_refers_to_assemblies_of_the_framework_only(string framework, params string[] expected)
    {
        var library = await CSharp2Program.GetAsync(framework, LiveTests.Schema, null);
        using var file = new PEReader(ImmutableArray.Create(await File.ReadAllBytesAsync(library.Path, TestContext.Current.CancellationToken)));
        var metadata = file.GetMetadataReader();

        Assert.Equal(expected, metadata.AssemblyReferences.Select(one => metadata.GetString(metadata.GetAssemblyReference(one).Name)).Order(StringComparer.Ordinal));
        Assert.DoesNotContain(metadata.TypeDefinitions.Select(metadata.GetTypeDefinition), static type => (type.Attributes & System.Reflection.TypeAttributes.VisibilityMask) == System.Reflection.TypeAttributes.Public);
    }

    private static string[] Round(string askBack, bool onMono) =>
    [
        "Sum: -4611686018427387901, mean -1537228672809129300.3333333333, at 621355968000000000",
        "Shout: InvalidValue, InvalidValue, InvalidValue, Unknown",
        $"AskBack: {askBack}",
        "Fail: fault 1234 No: ß",
        "Fail: fault 1 The handler of Fail failed.",
        "Question: fault 2 No handler is registered for requests of type 20.",
        "Answer: Ok, no reply",
        onMono ? "Repeat: InvalidPayload" : "Repeat: 1000 lines",
        "Wait: TimedOut",
        "Cancel: Ok, Unknown",
        "The 65th request: Full",
        "Leave: Kicked: Out: ß",
        "Requests that failed: 64",
        "Afterwards: NotConnected",
    ];

    private static async Task<string[]> ObserveAsync(string bytes, string token)
    {
        var program = await GetProgramAsync(onMono: false);
        return await LiveTests.ObserveAsync(bytes, endpoint => program.RunAsync(onMono: false, [], "observe", endpoint, token));
    }

    private static Task<CSharp2Program> GetProgramAsync(bool onMono, string monoFramework = CSharp2Program.NetFramework)
    {
        if (onMono)
            CSharp2Program.FindMono();
        return CSharp2Program.GetAsync(onMono ? monoFramework : CSharp2Program.NetStandard, LiveTests.Schema, Path.Combine(CSharp2Program.Folder, "test", "Live.cs"));
    }
}
