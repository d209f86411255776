using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Library;

/// <summary>Servers that send bytes of Clients/live-tests.json, and then send no more: the library ends the connection for the same reasons as the clients in other languages.</summary>
public sealed class HostileServerTests
{
    private static readonly JsonElement s_list = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(RepositoryFolder.FullName, "Clients", "live-tests.json"))).RootElement;

    [Fact]
    public async Task Bytes_after_the_handshake_have_their_effect()
    {
        foreach (var (name, bytes, reason) in Cases("hostile"))
        {
            var ended = Signal.New<DisconnectReason>();
            using var server = new TcpListener(IPAddress.Loopback, 0);
            var serving = ServeAsync(server, s_list.GetProperty("hellos").GetString() + bytes);
            await using (await MessageHost.ConnectAsync(EndpointOf(server), client => client.PeerDisconnected += (peer, end) => ended.TrySetResult(peer.GoodbyeReason ?? end)).InTime())
                Assert.Equal((name, reason), (name, (await ended.Task.InTime()).ToString()));
            await serving.InTime();
        }
    }

    [Fact]
    public async Task Handshakes_are_refused()
    {
        foreach (var (name, bytes, reason) in Cases("handshakes"))
        {
            using var server = new TcpListener(IPAddress.Loopback, 0);
            var serving = ServeAsync(server, bytes);
            var refusal = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(EndpointOf(server)).InTime());
            Assert.Equal((name, reason), (name, refusal.Reason.ToString()));
            await serving.InTime();
        }
    }

    private static MessageEndpoint EndpointOf(TcpListener server) => MessageEndpoint.Tcp(((IPEndPoint)server.LocalEndpoint).Port);

    private static IEnumerable<(string Name, string Bytes, string Reason)> Cases(string list)
    {
        foreach (var one in s_list.GetProperty(list).EnumerateArray())
            yield return (one.GetProperty("name").GetString()!, one.GetProperty("bytes").GetString()!, one.GetProperty("reason").GetString()!);
    }

    /// <summary>Sends the bytes to one client, and reads until the client closes.</summary>
    private static async Task ServeAsync(TcpListener server, string bytes)
    {
        server.Start();
        using var socket = await server.AcceptSocketAsync();
        await socket.SendAsync(Convert.FromHexString(bytes));
        socket.Shutdown(SocketShutdown.Send);
        var buffer = new byte[4096];
        try
        {
            while (await socket.ReceiveAsync(buffer) > 0)
            {
            }
        }
        catch (SocketException)
        {
            // The client has reset the connection, because it has not read all bytes.
        }
    }
}
