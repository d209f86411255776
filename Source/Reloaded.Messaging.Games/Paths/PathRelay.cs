using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Games;

/// <summary>Receives the datagrams of clients and of their server, and sends them on over a path. The server sees one socket of this process for each client.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The relay frees its resources after its last user has released it.")]
internal sealed class PathRelay
{
    /// <summary>The most clients of a relay. A further client takes the place of one without datagrams in the last minute; if there is none, its datagrams are lost.</summary>
    public const int MaxClients = 1024;

    private const int ReceiveBuffer = 4 << 20; // bytes: as much as a host over UDP has
    private const int MaxDatagram = 65536;
    private const int UnusedSeconds = 60;

    private readonly Socket _front;
    private readonly IPEndPoint _server;
    private readonly NetworkPath _path;
    private readonly TimeProvider _time;
    private readonly PathQueue _queue;
    private readonly CancellationTokenSource _end = new();
    private readonly CancellationToken _ended;
    private readonly Dictionary<SocketAddress, Client> _clients = [];
    private readonly int _maxClients;
    private readonly long _unused;
    private Task _receiving = Task.CompletedTask;
    private int _users = 1;

    private PathRelay(Socket front, IPEndPoint server, NetworkPath path, TimeProvider time, int maxClients)
    {
        (_front, _server, _path, _time, _maxClients, _unused) = (front, server, path, time, maxClients, UnusedSeconds * time.TimestampFrequency);
        _ended = _end.Token;
        Port = ((IPEndPoint)front.LocalEndPoint!).Port;
        _queue = new PathQueue(path, time);
    }

    /// <summary>The port for clients.</summary>
    public int Port { get; }

    /// <summary>Starts a relay, whose only user is the caller.</summary>
    /// <param name="at">The address for clients. Port 0 has a free port assigned.</param>
    /// <param name="server">The address of the server.</param>
    /// <param name="path">The path.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxClients">The most clients. Only a test sets it.</param>
    /// <exception cref="SocketException">Thrown when the address is in use.</exception>
    public static PathRelay Start(IPEndPoint at, IPEndPoint server, NetworkPath path, TimeProvider time, int maxClients = MaxClients)
    {
        var relay = new PathRelay(Bind(at), server, path, time, maxClients);
        relay._receiving = Detached.Run(() => relay.ReceiveAsync(relay._front, relay.PassUp));
        return relay;
    }

    /// <summary>Adds a user.</summary>
    public void AddUser() => Interlocked.Increment(ref _users);

    /// <summary>Removes a user. The last user ends the relay: the datagrams that have arrived, and those on the path, leave at once, and the port is free afterwards.</summary>
    public ValueTask ReleaseAsync() => Interlocked.Decrement(ref _users) == 0 ? new(Detached.Run(EndAsync)) : default;

    private static Socket Bind(IPEndPoint at)
    {
        var socket = new Socket(at.AddressFamily, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = ReceiveBuffer };
        try
        {
            socket.Bind(at);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task EndAsync()
    {
        await _end.CancelAsync().ConfigureAwait(false);
        await _receiving.ConfigureAwait(false); // afterwards, no client is added
        foreach (var client in _clients.Values)
            await client.Receiving.ConfigureAwait(false);
        await _queue.DisposeAsync().ConfigureAwait(false);
        _front.Dispose();
        _end.Dispose();
        foreach (var client in _clients.Values)
            client.Back.Dispose();
    }

    private void PassUp(SocketAddress from, ReadOnlySpan<byte> datagram)
    {
        var now = _time.GetTimestamp();
        if (Find(from, now) is { } client)
            _queue.Enter(client.Up, datagram);
        else
            _path.CountLost();
    }

    /// <summary>Returns a client, which is added at its first datagram; <see langword="null"/> if there is no place.</summary>
    private Client? Find(SocketAddress from, long now)
    {
        lock (_clients)
        {
            if (_clients.TryGetValue(from, out var known))
            {
                known.LastUse = now;
                return known;
            }

            if (_clients.Count == _maxClients && !TryRemoveUnused(now))
                return null;
            var any = _server.AddressFamily == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any;
            var address = new SocketAddress(from.Family, from.Size);
            from.Buffer.Span.Slice(0, from.Size).CopyTo(address.Buffer.Span);
            var added = new Client(Bind(new IPEndPoint(IPAddress.IsLoopback(_server.Address) ? _server.Address : any, 0)), _server.Serialize(), _front, address) { LastUse = now };
            added.Receiving = Detached.Run(() => ReceiveAsync(added.Back, (_, datagram) => _queue.Enter(added.Down, datagram)));
            _clients.Add(address, added);
            return added;
        }
    }

    private bool TryRemoveUnused(long now)
    {
        SocketAddress? unused = null;
        var earliest = now - _unused;
        foreach (var (address, client) in _clients)
        {
            if (client.LastUse <= earliest)
                (unused, earliest) = (address, client.LastUse);
        }

        if (unused is null)
            return false;
        _clients[unused].Back.Dispose();
        return _clients.Remove(unused);
    }

    private async Task ReceiveAsync(Socket socket, ReceiveDatagram received)
    {
        var buffer = new byte[MaxDatagram];
        var from = new SocketAddress(socket.AddressFamily);
        var left = ReceiveBuffer; // bytes that are received after the end, so that a sender cannot delay it
        while (left > 0)
        {
            try
            {
                var hasEnded = _ended.IsCancellationRequested;
                if (hasEnded && socket.Available == 0)
                    return;
                var size = hasEnded ? socket.ReceiveFrom(buffer, SocketFlags.None, from) : await socket.ReceiveFromAsync(buffer, SocketFlags.None, from, _ended).ConfigureAwait(false);
                left -= hasEnded ? size : 0;
                received(from, buffer.AsSpan(0, size));
            }
            catch (SocketException e) when (e.SocketErrorCode != SocketError.OperationAborted)
            {
                _path.CountLost(); // no socket for a further client; or Windows reports that no program received an earlier datagram
            }
            catch (OperationCanceledException)
            {
                continue; // the relay ends: the datagrams that have arrived still pass
            }
            catch (Exception e) when (e is ObjectDisposedException or SocketException)
            {
                return; // this client was removed
            }
        }
    }

    private delegate void ReceiveDatagram(SocketAddress from, ReadOnlySpan<byte> datagram);

    private sealed class Client(Socket back, SocketAddress server, Socket front, SocketAddress address)
    {
        /// <summary>The socket whose address the server takes for that of the client.</summary>
        public Socket Back => back;

        public Task Receiving { get; set; } = Task.CompletedTask;

        public PathLane Up { get; } = new SocketLane(back, server);

        public PathLane Down { get; } = new SocketLane(front, address);

        /// <summary>The time of the last datagram of the client, as a timestamp.</summary>
        public long LastUse { get; set; }
    }

    private sealed class SocketLane(Socket socket, SocketAddress to) : PathLane
    {
        public override bool TrySend(ReadOnlySpan<byte> datagram)
        {
            try
            {
                return socket.SendTo(datagram, SocketFlags.None, to) == datagram.Length;
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return false; // counted as lost
            }
        }
    }
}
