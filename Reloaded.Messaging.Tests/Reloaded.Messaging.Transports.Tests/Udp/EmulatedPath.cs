namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The properties of one direction of an emulated path.</summary>
internal sealed class PathOptions
{
    public TimeSpan Delay { get; init; } = TimeSpan.FromMilliseconds(25);

    /// <summary>The largest additional delay of a datagram. Datagrams overtake each other, unless the path <see cref="KeepsOrder"/>.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>Whether no datagram overtakes another one, as on a wireless link: datagrams arrive together after a pause.</summary>
    public bool KeepsOrder { get; init; }

    public double Loss { get; init; }

    public double Duplication { get; init; }

    /// <summary>Bytes per second; 0 for no limit.</summary>
    public double Rate { get; init; }

    /// <summary>The bytes that wait for the rate. Further datagrams are lost.</summary>
    public int Queue { get; init; } = int.MaxValue;

    /// <summary>The largest size of a datagram, in bytes, with the headers of UDP and IPv4. Larger ones are lost, and no report is sent.</summary>
    public int LargestSize { get; init; } = int.MaxValue;
}

/// <summary>Two connections without sockets, threads and clocks, and the path between them, in virtual time. The same seed gives the same run.</summary>
internal sealed class EmulatedPath
{
    /// <summary>The size of the headers of the datagram, of UDP and of IPv4, in bytes.</summary>
    public const int Overhead = 45;

    private const int BodySize = 1183;

    private readonly PriorityQueue<Arrival, (long At, long Order)> _arrivals = new();
    private readonly Random _random;
    private readonly byte[] _body = new byte[BodySize];
    private readonly List<Side> _sides = [];
    private readonly long[] _busyUntil = new long[2];
    private readonly long[] _lastArrival = new long[2];
    private long _order;

    public EmulatedPath(int seed, PathOptions? options = null, UdpOptions? udp = null)
    {
        _random = new Random(seed);
        Options = options ?? new PathOptions();
        (Client, Server) = AddPair(udp);
    }

    public DatagramConnection Client { get; }

    public DatagramConnection Server { get; }

    /// <summary>The properties of both directions from now on.</summary>
    public PathOptions Options { get; set; }

    public DatagramCounters ClientCounts => _sides[0].Counts;

    public DatagramCounters ServerCounts => _sides[1].Counts;

    public TimeSpan Now => TimeSpan.FromTicks(Ticks);

    public long Ticks { get; private set; }

    /// <summary>The datagrams that were lost.</summary>
    public int Lost { get; private set; }

    /// <summary>The size of the largest datagram that has arrived, in bytes, with the headers of UDP and IPv4.</summary>
    public int LargestArrived { get; set; }

    /// <summary>The datagrams that each side has sent.</summary>
    public int SentByClient => _sides[0].Sent;

    public int SentByServer => _sides[1].Sent;

    /// <summary>The bytes that all clients have sent, with all headers.</summary>
    public long EnteredBytes { get; private set; }

    /// <summary>Returns whether a datagram of the client, or of the server, is lost; replaces the random losses.</summary>
    public Func<bool, int, bool>? IsLost { get; set; }

    /// <summary>Called after each event, to send and to read.</summary>
    public Action? Act { get; set; }

    /// <summary>The time at which <see cref="Act"/> is called even if nothing else happens.</summary>
    public TimeSpan ActAt { get; set; } = TimeSpan.MaxValue;

    /// <summary>Adds two connections that share the path.</summary>
    public (DatagramConnection Client, DatagramConnection Server) AddPair(UdpOptions? udp = null)
    {
        var (client, server) = (new Side(udp ?? UdpOptions.Default, isClient: true), new Side(udp ?? UdpOptions.Default, isClient: false));
        (client.Other, server.Other) = (server, client);
        _sides.AddRange([client, server]);
        return (client.Connection, server.Connection);
    }

    /// <summary>Lets time pass until a condition holds.</summary>
    /// <returns><see langword="false"/> if the time is over.</returns>
    public bool RunUntil(Func<bool> condition, TimeSpan most)
    {
        var end = Ticks + most.Ticks;
        while (true)
        {
            Act?.Invoke();
            foreach (var side in _sides)
                Flush(side);
            if (condition())
                return true;
            var next = Math.Max(ActAt.Ticks, Ticks + 1);
            foreach (var side in _sides)
                next = Math.Min(next, side.Connection.NextTimer(Ticks));
            if (_arrivals.TryPeek(out _, out var first) && first.At <= next)
                next = first.At;
            if (next > end)
            {
                Ticks = end;
                return false;
            }

            Ticks = Math.Max(next, Ticks);
            if (_arrivals.TryPeek(out var arrival, out first) && first.At <= Ticks)
            {
                _arrivals.Dequeue();
                LargestArrived = Math.Max(LargestArrived, arrival.Body.Length + Overhead);
                arrival.Receive(Ticks);
                continue;
            }

            foreach (var side in _sides)
                side.Connection.Tick(Ticks);
        }
    }

    public void Run(TimeSpan time) => RunUntil(static () => false, time);

    /// <summary>Sends a datagram of another kind.</summary>
    /// <param name="isClients">The direction.</param>
    /// <param name="size">The size with all headers, in bytes.</param>
    /// <param name="receive">Is called with the time at which the datagram arrives.</param>
    /// <returns><see langword="false"/> if it is lost.</returns>
    public bool Send(bool isClients, int size, Action<long> receive) => Transmit(isClients, size, count: -1, new Arrival(null, 0, [], receive));

    private void Flush(Side side)
    {
        while (true)
        {
            var number = side.Connection.NextNumber;
            var size = side.Connection.Write(_body, Ticks);
            if (size == 0)
                return;
            Transmit(side.IsClient, size + Overhead, side.Sent++, new Arrival(side.Other.Connection, number, _body[..size], null));
        }
    }

    private bool Transmit(bool isClients, int size, int count, Arrival datagram)
    {
        var leaves = Ticks;
        EnteredBytes += isClients ? size : 0;
        if (Options.Rate > 0)
        {
            ref var busy = ref _busyUntil[isClients ? 0 : 1];
            var waiting = Math.Max(0, busy - Ticks) * Options.Rate / TimeSpan.TicksPerSecond;
            if (waiting + size > Options.Queue)
            {
                Lost++;
                return false;
            }

            busy = leaves = Math.Max(busy, Ticks) + (long)(size / Options.Rate * TimeSpan.TicksPerSecond);
        }

        if (size > Options.LargestSize)
        {
            Lost++;
            return false;
        }

        if (IsLost?.Invoke(isClients, count) ?? _random.NextDouble() < Options.Loss)
        {
            Lost++;
            return false;
        }

        var copies = _random.NextDouble() < Options.Duplication ? 2 : 1;
        for (var i = 0; i < copies; i++)
        {
            var at = leaves + Options.Delay.Ticks + (long)(_random.NextDouble() * Options.Jitter.Ticks);
            ref var last = ref _lastArrival[isClients ? 0 : 1];
            at = last = Options.KeepsOrder ? Math.Max(last, at) : at;
            _arrivals.Enqueue(datagram, (at, _order++));
        }

        return true;
    }

    private sealed class Side(UdpOptions options, bool isClient)
    {
        public bool IsClient => isClient;

        public DatagramCounters Counts { get; } = new();

        public DatagramConnection Connection => field ??= new DatagramConnection(BodySize, 17, options, Counts);

        public Side Other { get; set; } = null!;

        public int Sent { get; set; }
    }

    private sealed record Arrival(DatagramConnection? To, ulong Number, byte[] Body, Action<long>? Other)
    {
        public void Receive(long now)
        {
            To?.Receive(Number, Body, now);
            Other?.Invoke(now);
        }
    }
}

/// <summary>Sends numbered frames over one side of a connection, and checks them at the other side.</summary>
internal sealed class NumberedFrames(DatagramConnection from, DatagramConnection to, int size, int count)
{
    private readonly byte[] _frame = new byte[size + 2];
    private readonly byte[] _buffer = new byte[64 * 1024];
    private int _sent;
    private int _unread;

    public int Received { get; private set; }

    /// <summary>Appends what the sender takes, up to a number of frames. A frame has two bytes of length.</summary>
    public void Send(int most = int.MaxValue)
    {
        for (; most > 0 && _sent < count && from.WantsMore(); most--)
        {
            BitConverter.TryWriteBytes(_frame.AsSpan(2), _sent);
            from.Append(0, _frame.AsSpan(2));
            _sent++;
        }
    }

    /// <summary>Reads up to a number of bytes.</summary>
    public void Receive(int most = int.MaxValue)
    {
        while (most > 0 && to.Read(_buffer.AsSpan(_unread, Math.Min(most, _buffer.Length - _unread))) is > 0 and var read)
        {
            most -= read;
            var held = _unread + read;
            var at = 0;
            for (; held - at >= _frame.Length; at += _frame.Length)
            {
                if (BitConverter.ToInt32(_buffer, at + 2) != Received++)
                    throw new InvalidOperationException($"Frame {Received - 1} is {BitConverter.ToInt32(_buffer, at + 2)}.");
            }

            _unread = held - at;
            _buffer.AsSpan(at, _unread).CopyTo(_buffer);
        }
    }
}
