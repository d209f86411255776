using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace GameServer.Bots;

/// <summary>A network path between players and a server. It loses datagrams, and delays the others.</summary>
internal sealed class BadPath : IDisposable
{
    private const double LongestQueue = 0.2; // seconds

    private readonly Socket _listener = Bind();
    private readonly ConcurrentDictionary<SocketAddress, Direction> _players = new();
    private readonly PriorityQueue<(Direction Direction, byte[] Datagram), double> _waiting = new();
    private readonly CancellationTokenSource _end = new();
    private readonly Thread _clock;
    private readonly SocketAddress _server;

    /// <param name="port">The port of the server on this machine.</param>
    public BadPath(int port)
    {
        _server = new IPEndPoint(IPAddress.Loopback, port).Serialize();
        _ = ReceiveAsync(_listener, (player, datagram) => Pass(_players.TryGetValue(player, out var up) ? up : Add(player), datagram));
        _clock = new Thread(SendWhenDue) { IsBackground = true };
        _clock.Start();
    }

    /// <summary>What the path does to datagrams from now on.</summary>
    public PathConditions Conditions { get; set; }

    /// <summary>The port for players.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    private static double Now => Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency;

    public void Dispose()
    {
        _end.Cancel();
        _clock.Join();
        _listener.Dispose();
        foreach (var direction in _players.Values)
            direction.Socket.Dispose();
        _end.Dispose();
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = 4 << 20 };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    /// <summary>Gives a player a socket, whose address the server takes for that of the player.</summary>
    private Direction Add(SocketAddress address)
    {
        var player = new SocketAddress(address.Family, address.Size);
        address.Buffer.CopyTo(player.Buffer);
        var up = new Direction(Bind(), _server);
        var down = new Direction(_listener, player);
        _ = ReceiveAsync(up.Socket, (_, datagram) => Pass(down, datagram));
        return _players[player] = up;
    }

    private void Pass(Direction direction, ReadOnlySpan<byte> datagram)
    {
        var conditions = Conditions;
        if (Random.Shared.NextDouble() * 100 < conditions.Loss)
            return;
        if (conditions is { Delay: 0, Rate: 0 })
        {
            direction.Send(datagram);
            return;
        }

        var now = Now;
        lock (_waiting)
        {
            var begin = Math.Max(now, direction.IsFreeAt);
            if (begin > now + LongestQueue)
                return;
            direction.IsFreeAt = begin + (conditions.Rate == 0 ? 0 : datagram.Length / (125.0 * conditions.Rate));
            _waiting.Enqueue((direction, datagram.ToArray()), direction.IsFreeAt + (conditions.Delay / 2000.0));
        }
    }

    private void SendWhenDue()
    {
        var due = new List<(Direction Direction, byte[] Datagram)>();
        while (!_end.IsCancellationRequested)
        {
            lock (_waiting)
            {
                for (var now = Now; _waiting.TryPeek(out var next, out var time) && time <= now; _waiting.Dequeue())
                    due.Add(next);
            }

            foreach (var (direction, datagram) in due)
                direction.Send(datagram);
            due.Clear();
            Thread.Sleep(1);
        }
    }

    private async Task ReceiveAsync(Socket socket, ReceiveDatagram received)
    {
        var buffer = new byte[65536];
        var from = new SocketAddress(AddressFamily.InterNetwork);
        try
        {
            while (true)
                received(from, buffer.AsSpan(0, await socket.ReceiveFromAsync(buffer, SocketFlags.None, from, _end.Token)));
        }
        catch (Exception e) when (e is OperationCanceledException or ObjectDisposedException)
        {
            return; // the path has ended
        }
    }

    private delegate void ReceiveDatagram(SocketAddress from, ReadOnlySpan<byte> datagram);

    private sealed class Direction(Socket socket, SocketAddress to)
    {
        public Socket Socket => socket;

        /// <summary>The time at which the last datagram has entered the path.</summary>
        public double IsFreeAt { get; set; }

        public void Send(ReadOnlySpan<byte> datagram) => socket.SendTo(datagram, SocketFlags.None, to);
    }
}
