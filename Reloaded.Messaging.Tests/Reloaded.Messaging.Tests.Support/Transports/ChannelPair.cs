namespace Reloaded.Messaging.Tests.Support;

/// <summary>Two connected ends, and the listener that connected them.</summary>
internal sealed class ChannelPair(TransportListener listener, TransportChannel server, TransportChannel client) : IAsyncDisposable
{
    public TransportListener Listener => listener;

    public TransportChannel Server => server;

    public TransportChannel Client => client;

    public static async Task<ChannelPair> OpenAsync(MessageEndpoint endpoint, ChannelFactory? factory = null)
    {
        var listener = await (factory ?? ChannelFactory.Default).Listen(endpoint);
        var (server, client) = await ConnectAsync(listener, factory);
        return new ChannelPair(listener, server, client);
    }

    public static async Task<(TransportChannel Server, TransportChannel Client)> ConnectAsync(TransportListener listener, ChannelFactory? factory = null)
    {
        var accepting = listener.AcceptAsync(default).AsTask();
        var client = await (factory ?? ChannelFactory.Default).Connect(listener.Endpoint).AsTask().InTime();
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
