using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>The list of live tests that all clients have, for clients whose programs print a line for each step.</summary>
internal static class LiveTests
{
    private const string Passed = "passed: ";

    private static readonly JsonElement s_list = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(RepositoryFolder.FullName, "Clients", "live-tests.json"))).RootElement;

    /// <summary>The schema of the server in Reloaded.Messaging.Tests.PeerProcess.</summary>
    public static string Schema { get; } = Path.Combine(RepositoryFolder.FullName, "Reloaded.Messaging.Tests", "Reloaded.Messaging.Tests.PeerProcess", "contracts.schema.json");

    /// <summary>The hellos of a hostile server, as hexadecimal digits.</summary>
    public static string Hellos { get; } = s_list.GetProperty("hellos").GetString()!;

    /// <summary>The bytes of hostile servers, with their hellos, and how the connection ends.</summary>
    public static IEnumerable<(string Bytes, string Reason, string Text)> Hostile => s_list.GetProperty("hostile").EnumerateArray()
        .Select(static one => (Hellos + one.GetProperty("bytes").GetString(), one.GetProperty("reason").GetString()!, one.TryGetProperty("text", out var said) ? said.GetString()! : ""));

    /// <summary>The first bytes of hostile servers, and the reason by which a client refuses them.</summary>
    public static IEnumerable<(string Bytes, string Reason)> Handshakes => s_list.GetProperty("handshakes").EnumerateArray()
        .Select(static one => (one.GetProperty("bytes").GetString()!, one.GetProperty("reason").GetString()!));

    /// <summary>Returns the lines that do not name a test of the list.</summary>
    public static IEnumerable<string> Steps(string[] lines) => lines.Where(static line => !line.StartsWith(Passed, StringComparison.Ordinal));

    /// <summary>Compares the names of the steps, and of the tests of a class, with the list.</summary>
    /// <param name="client">The key of the client in the list.</param>
    /// <param name="tests">The class of the tests.</param>
    /// <param name="lines">The lines of the program.</param>
    /// <param name="notRun">The name of a test that cannot run here; an empty text if all can.</param>
    public static void AssertPassed(string client, Type tests, string[] lines, string notRun)
    {
        var found = lines.Where(static line => line.StartsWith(Passed, StringComparison.Ordinal)).Select(static line => line[Passed.Length..])
            .Concat(tests.GetMethods().Select(static method => method.Name.Replace('_', ' '))).ToHashSet(StringComparer.OrdinalIgnoreCase);
        foreach (var feature in s_list.GetProperty("features").EnumerateArray())
        {
            var isMissing = feature.TryGetProperty("without", out var without) && without.TryGetProperty(client, out _);
            foreach (var name in feature.GetProperty("tests").EnumerateArray().Select(static one => one.GetString()!).Where(name => name != notRun))
                Assert.True(found.Contains(name) != isMissing, $"The client {client} {(isMissing ? "has" : "lacks")} the test '{name}'.");
        }
    }

    /// <summary>Runs a client with a server that requests a block of items and a report of it, and compares the answers.</summary>
    public static async Task AssertRefusesItemsAsync(Func<string, Task<string[]>> run)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var client = run($"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        using var socket = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Deadline.Length);
        await socket.SendAsync(Convert.FromHexString(Hellos + "107F01A980FCFF0F070500000000000100" + "107F01AA80FCFF0F080500000002000000"));
        var (received, expected) = ("", new[] { Fault(0xA9, 7, 3, "The client sends no items with its requests."), Fault(0xAA, 8, 2, "No handler answers requests of this type.") });
        var buffer = new byte[4096];
        while (!expected.All(one => received.Contains(one, StringComparison.Ordinal)))
        {
            var count = await socket.ReceiveAsync(buffer).WaitAsync(Deadline.Length);
            Assert.True(count > 0, $"The client has closed the connection after {received}.");
            received += Convert.ToHexString(buffer, 0, count);
        }

        socket.Shutdown(SocketShutdown.Send);
        await client;

        static string Fault(byte type, byte id, byte code, string text) => Convert.ToHexString([(byte)(9 + text.Length), 0x7F, 3, type, 0x80, 0xFC, 0xFF, 0x0F, id, code, .. Encoding.ASCII.GetBytes(text)]);
    }

    /// <summary>Runs a client with a server that sends the bytes, and reads until the client closes.</summary>
    public static async Task<string[]> ObserveAsync(string bytes, Func<string, Task<string[]>> run)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var client = run($"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
        using var socket = await listener.AcceptSocketAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Deadline.Length);
        await socket.SendAsync(Convert.FromHexString(bytes.Replace(" ", "")));
        socket.Shutdown(SocketShutdown.Send);
        return await client;
    }
}
