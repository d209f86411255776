using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.CClient;

/// <summary>The C client against live servers: the one of the other clients' tests, the game of Examples/ModLoader, and servers that send what a test says.</summary>
public sealed class CClientTests
{
    [Theory]
    [InlineData("none")]
    [InlineData("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")]
    public async Task Server_and_client_send_requests_events_and_faults_to_each_other(string token)
    {
        var program = await GetProgramAsync();
        await using var server = await ServerProcess.StartAsync(ServerProcess.Peer, [], "languages", token, "0");

        var lines = await program.RunAsync([], [], $"tcp://127.0.0.1:{server.Ready}", token);

        const string Sum = "Reloaded.Messaging.Tests.PeerProcess.Languages.Sum";
        LiveTests.AssertPassed("c", typeof(CClientTests), lines, HasBrotli() ? "" : "a compressed reply is read");
        Assert.Equal(
            [
                .. Round("AskBack: 42 -1"),
                .. Round("AskBack: fault 1 The handler of AskBack failed."),
                "Version 2: RM_OK, RM_WRONG_CONTRACT",
                $"Version 2: RM_REFUSED, WrongContract: The contracts of message type 31 ({Sum} on this side, {Sum} on the remote side) differ: the version is 2 here and 1 there.",
                "Other field: RM_WRONG_CONTRACT, RM_UNKNOWN",
                "Other reply: RM_WRONG_CONTRACT",
                "Wrong token: RM_REFUSED, WrongToken",
                "15 bytes: RM_WEAK_TOKEN",
                "Endpoints: RM_NOT_LOCAL, RM_NOT_LOCAL, RM_INVALID_ENDPOINT, RM_NO_CONNECTION",
            ],
            LiveTests.Steps(lines));
    }

    [Fact]
    public async Task Items_and_reports_of_requests_are_refused()
    {
        var program = await GetProgramAsync();
        await LiveTests.AssertRefusesItemsAsync(endpoint => program.RunAsync([], [], "observe", endpoint, "none"));
    }

    [Fact]
    public async Task Hostile_bytes_of_a_server_have_their_effect()
    {
        foreach (var (bytes, reason, text) in LiveTests.Hostile)
            Assert.StartsWith($"observe: {reason} {text}", (await ObserveAsync(bytes, "none"))[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Handshakes_of_a_hostile_server_are_refused()
    {
        foreach (var (bytes, reason) in LiveTests.Handshakes)
        {
            var lines = await ObserveAsync(bytes, "none");
            Assert.StartsWith($"connect: {(reason == "ConnectionLost" ? "RM_CONNECTION_LOST" : "RM_REFUSED")} {reason} ", Assert.Single(lines), StringComparison.Ordinal);
        }
    }

    /// <summary>The bytes follow a handshake, and the server then closes.</summary>
    [Theory]
    [InlineData("0F7F0403124279653A20C29FE282AC07", "observe: RM_CONNECTION_LOST", "observe: Kicked Bye: ??€?", "unreadable 0, unhandled 0")]
    [InlineData("027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05 027F05", "observe: RM_CONNECTION_LOST", "observe: Malformed More than 16 messages could not be read.", "unreadable 17, unhandled 0")]
    [InlineData("027F05 0503AABBCCDD 067F0200630102", "observe: RM_CONNECTION_LOST", "observe: ConnectionLost ", "unreadable 1, unhandled 2")]
    [InlineData("077F030501E8076E", "observe: fault 1000 n", "observe: ConnectionLost ", "unreadable 0, unhandled 0")]
    [InlineData("057F030501FF", "observe: RM_INVALID_PAYLOAD", "observe: ConnectionLost ", "unreadable 0, unhandled 0")]
    [InlineData("0C7F02A080FCFF0F0101000000", "observe: RM_STREAM", "observe: ConnectionLost ", "unreadable 0, unhandled 0")]
    [InlineData("057F02630102", "observe: RM_WRONG_CONTRACT", "observe: ConnectionLost ", "unreadable 0, unhandled 0")]
    [InlineData("047F040101 047F010207 017E", "observe: RM_CONNECTION_LOST", "observe: ConnectionLost ", "unreadable 0, unhandled 1")]
    public async Task Bytes_of_a_server_are_counted(string bytes, params string[] expected) => Assert.Equal(expected, await ObserveAsync(LiveTests.Hellos + bytes, "none"));

    [Theory]
    [InlineData("1D7F0400524C4D340100808040101112131415161718191A1B1C1D1E1F01", "connect: RM_REFUSED NotAPeer The hello cannot be read.")]
    [InlineData("297F0400524C4D330101808040101112131415161718191A1B1C1D1E1F02FFFFFFFF0F01010000000001", "connect: RM_REFUSED WrongToken The server has a token.")]
    [InlineData("077F040308466FFF", "connect: RM_REFUSED TooManyPeers ")]
    public async Task Handshake_that_is_refused_has_a_text(string bytes, string expected) => Assert.Equal([expected], await ObserveAsync(bytes, "none"));

    [Fact]
    public async Task Server_without_the_token_is_refused_after_its_proof() => Assert.Equal(
        ["connect: RM_REFUSED WrongToken The server does not know the token."],
        await ObserveAsync("297F0400524C4D330101808040101112131415161718191A1B1C1D1E1F02FFFFFFFF0F01010000000001 237F0400" + new string('0', 64), "000102030405060708090A0B0C0D0E0F"));

    /// <summary>The answers wait in a buffer of 1 MiB, and the client reads no further ping while it is full.</summary>
    [Fact]
    public async Task Server_that_reads_late_receives_every_pong()
    {
        const int MaxPings = 20_000_000; // more than the buffers of any socket hold
        var program = await GetProgramAsync();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Server.ReceiveBufferSize = 1 << 16;
        listener.Start();
        var client = program.RunAsync([], [], "observe", $"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        using var socket = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Deadline.Length);
        await socket.SendAsync(Convert.FromHexString("1D7F0400524C4D330100808040101112131415161718191A1B1C1D1E1F01037F0400"));
        var (chunk, pings, sent) = (new byte[12 * 4096], 0, 0);
        socket.SendBufferSize = 1 << 16;
        socket.Blocking = false;
        while (pings < MaxPings && socket.Poll(TimeSpan.FromSeconds(1), SelectMode.SelectWrite)) // until the client no longer reads
        {
            if (sent % chunk.Length == 0)
                pings = WritePings(chunk, pings);
            sent += socket.Send(chunk, sent % chunk.Length, chunk.Length - (sent % chunk.Length), SocketFlags.None);
        }

        Assert.True(pings < MaxPings, "The client has read all pings.");
        socket.Blocking = true;
        var rest = Task.Run(() => SendRest(socket, sent % chunk.Length == 0 ? [] : chunk.AsSpan(sent % chunk.Length)));
        await using var stream = new BufferedStream(new NetworkStream(socket), 1 << 16);
        var (pongs, frame) = (0, new byte[256]);
        while (pongs < pings)
        {
            await stream.ReadExactlyAsync(frame.AsMemory(0, 1), TestContext.Current.CancellationToken);
            await stream.ReadExactlyAsync(frame.AsMemory(1, frame[0]), TestContext.Current.CancellationToken);
            if (frame[1] != 0x7F || frame[2] != 0x04 || frame[3] != 0x02)
                continue;
            Assert.Equal(pongs++, BinaryPrimitives.ReadInt32LittleEndian(frame.AsSpan(4)));
        }

        await rest;
        socket.Shutdown(SocketShutdown.Send);
        Assert.Equal(["observe: RM_CONNECTION_LOST", "observe: ConnectionLost ", "unreadable 0, unhandled 0"], await client);

        static int WritePings(Span<byte> chunk, int first)
        {
            for (; !chunk.IsEmpty; chunk = chunk.Slice(12))
            {
                (chunk[0], chunk[1], chunk[2], chunk[3]) = (0x0B, 0x7F, 0x04, 0x01);
                BinaryPrimitives.WriteInt32LittleEndian(chunk.Slice(4), first++);
                chunk.Slice(8, 4).Clear();
            }

            return first;
        }

        static void SendRest(Socket socket, ReadOnlySpan<byte> bytes)
        {
            while (bytes.Length > 0)
                bytes = bytes[socket.Send(bytes)..];
        }
    }

    [Fact]
    public async Task A_published_game_is_found_over_its_Unix_socket()
    {
        Assert.SkipUnless(HasBrotli(), "libbrotlidec is not installed. Install it with 'apt-get install libbrotli1'.");
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Published servers are found on Linux only.");
        var program = await CProgram.GetAsync("example/mod_tool.c", Path.Combine(RepositoryFolder.FullName, "Examples", "ModLoader", "contracts.schema.json"), Source("example/brotli.c"), Source("reloaded_messaging.c"), "-l:libbrotlidec.so.1");
        var folder = Directory.CreateTempSubdirectory("rm-"); // for the published server: other games of this user stay out of the way
        (string Name, string Value)[] environment = [("XDG_RUNTIME_DIR", folder.FullName)];
        await using (var game = await ServerProcess.StartAsync("Examples/ModLoader", environment, "game"))
        {
            var lines = await program.RunAsync([], environment, game.Ready);

            // The README shows an output. Only the ids, times and sizes differ.
            var readme = await File.ReadAllTextAsync(Source("README.md"), TestContext.Current.CancellationToken);
            var shown = Regex.Match(readme, "```\n(Connected to process .*?)\n```", RegexOptions.Singleline).Groups[1].Value.Split('\n');
            Assert.Equal(shown.Select(WithoutNumbers), lines.Select(WithoutNumbers));
            Assert.Contains(lines, static line => line.EndsWith("FAULT 1000: The game has no mod 'example.of.nobody'.", StringComparison.Ordinal));
        }

        folder.Delete(recursive: true);
    }

    [Fact]
    public async Task Program_of_the_readme_runs()
    {
        await using var server = await ServerProcess.StartAsync(ServerProcess.Peer, [], "languages", "none", "0");
        var readme = await File.ReadAllTextAsync(Source("README.md"), TestContext.Current.CancellationToken);
        var file = Path.Combine(Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "c")).FullName, "readme.c");
        await File.WriteAllTextAsync(file, Regex.Match(readme, "```c\n(.*?)```", RegexOptions.Singleline).Groups[1].Value.Replace("7777", server.Ready), TestContext.Current.CancellationToken);
        var program = await CProgram.GetAsync(file, LiveTests.Schema, Source("reloaded_messaging.c"));

        Assert.Equal(["hello"], await program.RunAsync([], []));
    }

    [Fact]
    public async Task Contracts_of_the_example_are_those_of_the_game()
    {
        var exported = await Tool.ExportAsync("c", Path.Combine(RepositoryFolder.FullName, "Examples", "ModLoader", "contracts.schema.json"));

        Assert.Equal(await File.ReadAllTextAsync(Source("example/mod_loader.h"), TestContext.Current.CancellationToken), exported);
    }

    private static string[] Round(string askBack) =>
    [
        "Sum: -4611686018427387901, mean 1 31ABA8555555555301497155 800A0000, at 621355968000000000",
        "Shout: RM_INVALID_VALUE",
        askBack,
        "Fail: fault 1234 No: ß",
        "Fail: fault 1 The handler of Fail failed.",
        "Question: fault 2 No handler is registered for requests of type 20.",
        "Answer: event 3 of no contract with 0 bytes",
        HasBrotli() ? "Repeat: 1000 lines" : "Repeat: RM_INVALID_PAYLOAD",
        "Wait: RM_TIMED_OUT",
        "Cancel: RM_OK, RM_UNKNOWN",
        "Count: RM_STREAM",
        "The 65th request: RM_FULL",
        "Requests that failed: 64",
        "Leave: Kicked Out: ß",
        "Afterwards: RM_NO_CONNECTION, 0",
    ];

    /// <summary>Runs the client with a server that sends the bytes.</summary>
    private static async Task<string[]> ObserveAsync(string bytes, string token)
    {
        var program = await GetProgramAsync();
        return await LiveTests.ObserveAsync(bytes, endpoint => program.RunAsync([], [], "observe", endpoint, token));
    }

    private static Task<CProgram> GetProgramAsync() => HasBrotli()
        ? CProgram.GetAsync("test/live.c", LiveTests.Schema, Source("example/brotli.c"), Source("reloaded_messaging.c"), "-l:libbrotlidec.so.1")
        : CProgram.GetAsync("test/live.c", LiveTests.Schema, Source("reloaded_messaging.c"), "-DWITHOUT_BROTLI");

    private static bool HasBrotli()
    {
        var isThere = NativeLibrary.TryLoad("libbrotlidec.so.1", out var library);
        if (isThere)
            NativeLibrary.Free(library);
        return isThere;
    }

    private static string Source(string file) => Path.Combine(RepositoryFolder.FullName, "Clients", "c", file);

    private static string WithoutNumbers(string line) => Regex.Replace(Regex.Replace(line, "[0-9.,]+ ms|process [0-9]+|[0-9]+ (ticks|bytes|KiB|received)|(Running|Unloaded) +[0-9]+", "#"), " +", " ");
}
