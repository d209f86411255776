using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Takes in one connection, for a test to speak on.</summary>
internal sealed class RawListener : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public RawListener()
    {
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _socket.Listen();
    }

    public int Port => ((IPEndPoint)_socket.LocalEndPoint!).Port;

    public async Task<RawPeer> AcceptAsync() => new(await _socket.AcceptAsync().InTime());

    public void Dispose() => _socket.Dispose();
}
