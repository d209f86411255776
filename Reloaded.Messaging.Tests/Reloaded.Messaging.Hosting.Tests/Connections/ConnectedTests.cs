using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ConnectedTests
{
    private static int s_names;

    [Theory]
    [InlineData("InProcess", false)]
    [InlineData("InProcess", true)]
    [InlineData("Tcp", false)]
    [InlineData("Tcp", true)]
    public async Task Broadcast_after_ConnectAsync_reaches_every_client(string kind, bool hasToken)
    {
        const int Count = 200;
        var options = new MessageHostOptions { Token = hasToken ? RandomNumberGenerator.GetBytes(32) : default };
        var endpoint = kind == "Tcp" ? MessageEndpoint.Tcp(0) : MessageEndpoint.InProcess($"connected-{Interlocked.Increment(ref s_names)}");
        await using var server = await MessageHost.ListenAsync(endpoint, options: options);
        var clients = new List<MessageClient>();
        var missed = 0;

        for (var i = 0; i < Count; i++)
        {
            clients.Add(await MessageHost.ConnectAsync(server.Endpoint, options: options).InTime());
            if (server.Broadcast(new Note("hello")) != clients.Count)
                missed++;
        }

        Assert.Equal(0, missed);
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task First_hello_of_a_server_with_a_token_tells_no_contracts()
    {
        var options = new MessageHostOptions { Token = RandomNumberGenerator.GetBytes(32) };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);
        using var raw = await RawPeer.ConnectAsync(server.Endpoint);

        var (_, hello) = await raw.ReceiveAsync();

        Assert.Equal(-1, System.MemoryExtensions.IndexOf(hello, "Reloaded"u8));
    }
}
