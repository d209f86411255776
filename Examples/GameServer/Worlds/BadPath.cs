using System;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Reloaded.Messaging;

namespace GameServer.Worlds;

/// <summary>A network path between players and a UDP server. It loses datagrams, and delays the others.</summary>
internal sealed class BadPath : IDisposable
{
    private readonly Socket _listener = Bind();
    private readonly ConcurrentDictionary<EndPoint, Direction> _players = new();
    private readonly CancellationTokenSource _end = new();
    private readonly IPEndPoint _server;
    private readonly double _loss;
    private readonly TimeSpan _delay;

    /// <param name="port">The port of the server on this machine.</param>
    /// <param name="loss">The share of datagrams that are lost, in percent.</param>
    /// <param name="roundTrip">The time that a datagram takes to the server and back, in milliseconds.</param>
    public BadPath(int port, int loss, int roundTrip)
    {
        (_server, _loss, _delay) = (new IPEndPoint(IPAddress.Loopback, port), loss / 100.0, TimeSpan.FromMilliseconds(roundTrip / 2.0));
        _ = ForwardToServerAsync();
    }

    /// <summary>The address for players.</summary>
    public MessageEndpoint Endpoint => MessageEndpoint.Udp("127.0.0.1", ((IPEndPoint)_listener.LocalEndPoint!).Port);

    public void Dispose()
    {
        _end.Cancel();
        _listener.Dispose();
        foreach (var direction in _players.Values)
            direction.Dispose();
        _end.Dispose();
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = 4 << 20 };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private Task ForwardToServerAsync() => ReceiveAsync(_listener, (player, datagram) =>
    {
        var up = _players.GetOrAdd(player, address =>
        {
            var socket = Bind();
            var down = new Direction(_listener, address, _delay, _end.Token);
            _ = ReceiveAsync(socket, (_, answer) => Pass(down, answer)); // ends with the path
            return new Direction(socket, _server, _delay, _end.Token);
        });
        Pass(up, datagram);
    });

    private void Pass(Direction direction, byte[] datagram)
    {
        if (Random.Shared.NextDouble() >= _loss)
            direction.Send(datagram);
    }

    private async Task ReceiveAsync(Socket socket, Action<EndPoint, byte[]> received)
    {
        var buffer = new byte[65536];
        try
        {
            while (true)
            {
                var result = await socket.ReceiveFromAsync(buffer, new IPEndPoint(IPAddress.Any, 0), _end.Token);
                received(result.RemoteEndPoint, buffer.AsSpan(0, result.ReceivedBytes).ToArray());
            }
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            return; // the path has ended
        }
    }

    /// <summary>Sends datagrams to one address, each after the delay, in their order.</summary>
    private sealed class Direction : IDisposable
    {
        private readonly Channel<(long Time, byte[] Datagram)> _waiting = Channel.CreateUnbounded<(long, byte[])>();
        private readonly Socket _socket;
        private readonly EndPoint _to;
        private readonly long _delay;

        public Direction(Socket socket, EndPoint to, TimeSpan delay, CancellationToken end)
        {
            (_socket, _to, _delay) = (socket, to, (long)delay.TotalMilliseconds);
            _ = RunAsync(end);
        }

        public void Send(byte[] datagram) => _waiting.Writer.TryWrite((Environment.TickCount64 + _delay, datagram));

        public void Dispose() => _socket.Dispose();

        private async Task RunAsync(CancellationToken end)
        {
            try
            {
                await foreach (var (time, datagram) in _waiting.Reader.ReadAllAsync(end))
                {
                    if (time - Environment.TickCount64 is > 0 and var left)
                        await Task.Delay((int)left, end);
                    await _socket.SendToAsync(datagram, _to, end);
                }
            }
            catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
            {
                return; // the path has ended
            }
        }
    }
}
