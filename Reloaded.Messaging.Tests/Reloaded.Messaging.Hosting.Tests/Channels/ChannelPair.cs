using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>Two connected ends, and the listener that connected them.</summary>
internal sealed class ChannelPair(TransportListener listener, TransportChannel server, TransportChannel client) : IAsyncDisposable
{
    public TransportListener Listener => listener;

    public TransportChannel Server => server;

    public TransportChannel Client => client;

    public static async Task<ChannelPair> OpenAsync(MessageEndpoint endpoint, ChannelWays? ways = null)
    {
        var listener = await (ways ?? ChannelWays.Default).Listen(endpoint);
        var (server, client) = await ConnectAsync(listener, ways);
        return new ChannelPair(listener, server, client);
    }

    public static async Task<(TransportChannel Server, TransportChannel Client)> ConnectAsync(TransportListener listener, ChannelWays? ways = null)
    {
        var accepting = listener.AcceptAsync(default).AsTask();
        var client = await (ways ?? ChannelWays.Default).Connect(listener.Endpoint).AsTask().InTime();
        return ((await accepting.InTime())!, client);
    }

    public async ValueTask DisposeAsync()
    {
        client.Abort(); // nothing is to be delivered any more
        server.Abort();
        await client.DisposeAsync();
        await server.DisposeAsync();
        await listener.DisposeAsync();
    }
}
