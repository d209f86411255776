using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A server that ends amid its first connection, before it has sent a byte.</summary>
internal sealed class EndingServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public EndingServer() => _listener.Start();

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Connects a client to a server that ends, and starts another server at its port.</summary>
    /// <param name="resets">Whether the first server resets the connection.</param>
    /// <param name="endpointOf">Returns the endpoint of the client at a port.</param>
    /// <param name="options">The options of the client, without a policy to reconnect.</param>
    /// <param name="listen">Starts the other server at a port.</param>
    public static async Task<(MessageServer Server, MessageClient Client)> ReplaceAsync(bool resets, Func<int, MessageEndpoint> endpointOf, MessageHostOptions options, Func<int, Task<MessageServer>> listen)
    {
        using var ending = new EndingServer();
        var port = ending.Port;
        var connecting = MessageHost.ConnectAsync(endpointOf(port), options: options with { Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(10) } });
        await ending.EndAsync(resets);
        var server = await listen(port);
        return (server, await connecting.InTime());
    }

    /// <summary>Waits for the first bytes of a client, and then closes or resets the connection and stops listening.</summary>
    public async Task EndAsync(bool resets)
    {
        using (var client = await _listener.AcceptSocketAsync().InTime())
        {
            await client.ReceiveAsync(new ArraySegment<byte>(new byte[4096]), SocketFlags.None).InTime();
            if (resets)
                client.LingerState = new LingerOption(true, 0);
        }

        _listener.Stop();
    }

    public void Dispose() => _listener.Stop();
}
