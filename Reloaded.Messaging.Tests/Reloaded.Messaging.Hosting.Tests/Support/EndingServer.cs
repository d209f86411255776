using System;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A server that ends amid its first connection, before it has sent a byte.</summary>
internal sealed class EndingServer : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public EndingServer() => _listener.Start();

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

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
