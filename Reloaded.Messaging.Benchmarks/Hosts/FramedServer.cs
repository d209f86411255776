using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Tests.Samples;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Accepts connections over TCP, each with a <see cref="FramedHost"/>. The prefix has two bytes, the low one first.</summary>
internal sealed class FramedServer : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentBag<FramedHost> _accepted = [];
    private readonly Task _accepting;

    /// <param name="configure">Registers the handlers of each connection.</param>
    public FramedServer(Action<FramedHost> configure)
    {
        _listener.Start(backlog: 1024);
        _accepting = AcceptAsync(configure);
    }

    /// <summary>Connects a client.</summary>
    public async Task<FramedHost> ConnectAsync()
    {
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync((IPEndPoint)_listener.LocalEndpoint);
        return FramedHost.Start(client.GetStream(), LengthPrefix.UInt16LittleEndian);
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
        foreach (var host in _accepted)
            await host.DisposeAsync();
    }

    private async Task AcceptAsync(Action<FramedHost> configure)
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptTcpClientAsync();
                client.NoDelay = true;
                _accepted.Add(FramedHost.Start(client.GetStream(), LengthPrefix.UInt16LittleEndian, configure));
            }
        }
        catch (SocketException)
        {
            // The listener was stopped.
        }
    }
}
