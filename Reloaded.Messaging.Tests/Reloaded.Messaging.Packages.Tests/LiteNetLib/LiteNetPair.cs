using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Tests.LiteNet;

/// <summary>A server and a client over LiteNetLib, each with a separate transport, as in two processes.</summary>
internal sealed class LiteNetPair(MessageServer server, MessageClient client, LiteNetTransport serverTransport) : IAsyncDisposable
{
    public MessageServer Server => server;

    public MessageClient Client => client;

    public LiteNetTransport ServerTransport => serverTransport;

    public static async Task<LiteNetPair> OpenAsync(
        Action<MessageServer>? serve = null,
        Action<MessageClient>? connect = null,
        LiteNetOptions? options = null,
        MessageHostOptions? hosts = null)
    {
        var transport = new LiteNetTransport(options);
        var server = await MessageHost.ListenAsync(transport.At(0), serve, hosts);
        var client = await MessageHost.ConnectAsync(new LiteNetTransport(options).At(server.Endpoint.Port), connect, hosts).InTime();
        return new LiteNetPair(server, client, transport);
    }

    public async ValueTask DisposeAsync()
    {
        await client.DisposeAsync();
        await server.DisposeAsync();
    }
}
