using System.Runtime.Versioning;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

[UnsupportedOSPlatform("windows")] // where pipes have no files
public sealed class PipeHostTests : IDisposable
{
    private readonly PipeNames _names = new();

    public void Dispose() => _names.Dispose();

    [Fact]
    public async Task Many_clients_connect_at_once()
    {
        await using var server = await MessageHost.ListenAsync(_names.Next(), server => server.OnRequest((Ping ping) => new Pong(ping.Number)));
        var clients = new MessageClient[20];
        await Parallel.ForAsync(0, clients.Length, async (i, token) => clients[i] = await MessageHost.ConnectAsync(server.Endpoint, cancellationToken: token)).InTime();

        for (var i = 0; i < clients.Length; i++)
            Assert.Equal(new Pong(i), await clients[i].RequestAsync<Ping, Pong>(new Ping(i)).AsTask().InTime());
        foreach (var client in clients)
            await client.DisposeAsync();
    }
}
