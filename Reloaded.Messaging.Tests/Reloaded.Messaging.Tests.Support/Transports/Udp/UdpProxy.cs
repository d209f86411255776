using System.Collections.Concurrent;
using System.Linq;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Stands between clients and a server, and does to each datagram what a test wants.</summary>
internal sealed class UdpProxy : IAsyncDisposable
{
    private readonly Socket _front = Bind();
    private readonly ConcurrentDictionary<EndPoint, Socket> _backs = new();
    private readonly ConcurrentBag<Socket> _forgotten = [];
    private readonly CancellationTokenSource _stopped = new();
    private readonly ConcurrentBag<Task> _running = [];

    private IPEndPoint? _server;

    /// <summary>From a datagram, and whether it is on its way to the server, to those that are sent on: one thread at a time for each way.</summary>
    public Func<byte[], bool, IEnumerable<byte[]>> Treat { get; set; } = static (datagram, _) => [datagram];

    /// <summary>Where clients connect to.</summary>
    public MessageEndpoint Endpoint => MessageEndpoint.Udp(((IPEndPoint)_front.LocalEndPoint!).Port);

    public void Start(MessageEndpoint server)
    {
        var remote = _server = new IPEndPoint(IPAddress.Loopback, server.Port);
        _running.Add(Task.Run(async () =>
        {
            var buffer = new byte[65_536];
            while (!_stopped.IsCancellationRequested)
            {
                var received = await _front.ReceiveFromAsync(buffer, SocketFlags.None, remote, _stopped.Token);
                if (!_backs.TryGetValue(received.RemoteEndPoint, out var back))
                {
                    back = _backs[received.RemoteEndPoint] = Bind();
                    var client = received.RemoteEndPoint;
                    var own = back;
                    _running.Add(Task.Run(() => ReturnAsync(own, client)));
                }

                foreach (var datagram in Treat(buffer[..received.ReceivedBytes], true))
                    await back.SendToAsync(datagram, SocketFlags.None, remote, _stopped.Token);
            }
        }));
    }

    /// <summary>Forgets the ports that the clients have on the side of the server, as a router does. Later datagrams of a client come from another port, and answers to the old one are lost.</summary>
    public void Rebind()
    {
        foreach (var (client, back) in _backs)
        {
            _forgotten.Add(back);
            _backs.TryRemove(client, out _);
        }
    }

    /// <summary>Sends a datagram to the server, by the port of the only client.</summary>
    public Task SendToServerAsync(byte[] datagram) => _backs.Values.Single().SendToAsync(datagram, SocketFlags.None, _server!);

    public async ValueTask DisposeAsync()
    {
        await _stopped.CancelAsync();
        foreach (var running in _running)
            await running.ContinueWith(static _ => { }, TaskScheduler.Default);
        _front.Dispose();
        Rebind();
        foreach (var back in _forgotten)
            back.Dispose();
        _stopped.Dispose();
    }

    private async Task ReturnAsync(Socket back, EndPoint client)
    {
        var buffer = new byte[65_536];
        while (!_stopped.IsCancellationRequested)
        {
            var received = await back.ReceiveFromAsync(buffer, SocketFlags.None, client, _stopped.Token);
            if (!_backs.TryGetValue(client, out var present) || present != back)
                return;
            foreach (var datagram in Treat(buffer[..received.ReceivedBytes], false))
                await _front.SendToAsync(datagram, SocketFlags.None, client, _stopped.Token);
        }
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = 4 << 20 };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }
}
