using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The properties of one direction of an emulated path.</summary>
internal sealed class PathOptions
{
    public TimeSpan Delay { get; init; } = TimeSpan.FromMilliseconds(25);

    /// <summary>The largest additional delay of a datagram. Datagrams overtake each other.</summary>
    public TimeSpan Jitter { get; init; }

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
    private const int Overhead = 45; // the headers of the datagram, of UDP and of IPv4
    private const int BodySize = 1183;

    private readonly PriorityQueue<Arrival, (long At, long Order)> _arrivals = new();
    private readonly Random _random;
    private readonly byte[] _body = new byte[BodySize];
    private readonly long[] _busyUntil = new long[2];
    private long _order;

    public EmulatedPath(int seed, PathOptions? options = null, UdpOptions? udp = null)
    {
        _random = new Random(seed);
        Options = options ?? new PathOptions();
        Client = new DatagramConnection(BodySize, 17, udp ?? UdpOptions.Default, ClientCounts);
        Server = new DatagramConnection(BodySize, 17, udp ?? UdpOptions.Default, ServerCounts);
    }

    public DatagramConnection Client { get; }

    public DatagramConnection Server { get; }

    /// <summary>The properties of both directions from now on.</summary>
    public PathOptions Options { get; set; }

    public DatagramCounters ClientCounts { get; } = new();

    public DatagramCounters ServerCounts { get; } = new();

    public TimeSpan Now => TimeSpan.FromTicks(Ticks);

    public long Ticks { get; private set; }

    /// <summary>The datagrams that were lost.</summary>
    public int Lost { get; private set; }

    /// <summary>The size of the largest datagram that has arrived, in bytes, with the headers of UDP and IPv4.</summary>
    public int LargestArrived { get; set; }

    /// <summary>The datagrams that each side has sent.</summary>
    public int SentByClient { get; private set; }

    public int SentByServer { get; private set; }

    /// <summary>Returns whether a datagram of the client, or of the server, is lost; replaces the random losses.</summary>
    public Func<bool, int, bool>? IsLost { get; set; }

    /// <summary>Called after each event, to send and to read.</summary>
    public Action? Act { get; set; }

    /// <summary>The time at which <see cref="Act"/> is called even if nothing else happens.</summary>
    public TimeSpan ActAt { get; set; } = TimeSpan.MaxValue;

    /// <summary>Lets time pass until a condition holds.</summary>
    /// <returns><see langword="false"/> if the time is over.</returns>
    public bool RunUntil(Func<bool> condition, TimeSpan most)
    {
        var end = Ticks + most.Ticks;
        while (true)
        {
            Act?.Invoke();
            Flush(Client, isClient: true);
            Flush(Server, isClient: false);
            if (condition())
                return true;
            var next = Math.Min(Math.Min(Client.NextTimer(Ticks), Server.NextTimer(Ticks)), Math.Max(ActAt.Ticks, Ticks + 1));
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
                (arrival.IsClients ? Server : Client).Receive(arrival.Number, arrival.Body, Ticks);
                continue;
            }

            Client.Tick(Ticks);
            Server.Tick(Ticks);
        }
    }

    public void Run(TimeSpan time) => RunUntil(static () => false, time);

    private void Flush(DatagramConnection side, bool isClient)
    {
        while (true)
        {
            var number = side.NextNumber;
            var size = side.Write(_body, Ticks);
            if (size == 0)
                return;
            var count = isClient ? SentByClient++ : SentByServer++;
            Transmit(new Arrival(isClient, number, _body[..size]), count);
        }
    }

    private void Transmit(Arrival datagram, int count)
    {
        var size = datagram.Body.Length + Overhead;
        var leaves = Ticks;
        if (Options.Rate > 0)
        {
            ref var busy = ref _busyUntil[datagram.IsClients ? 0 : 1];
            var waiting = Math.Max(0, busy - Ticks) * Options.Rate / TimeSpan.TicksPerSecond;
            if (waiting + size > Options.Queue)
            {
                Lost++;
                return;
            }

            busy = leaves = Math.Max(busy, Ticks) + (long)(size / Options.Rate * TimeSpan.TicksPerSecond);
        }

        if (size > Options.LargestSize)
        {
            Lost++;
            return;
        }

        if (IsLost?.Invoke(datagram.IsClients, count) ?? _random.NextDouble() < Options.Loss)
        {
            Lost++;
            return;
        }

        var copies = _random.NextDouble() < Options.Duplication ? 2 : 1;
        for (var i = 0; i < copies; i++)
            _arrivals.Enqueue(datagram, (leaves + Options.Delay.Ticks + (long)(_random.NextDouble() * Options.Jitter.Ticks), _order++));
    }

    private sealed record Arrival(bool IsClients, ulong Number, byte[] Body);
}

/// <summary>Sends numbered frames over one side of a connection, and checks them at the other side.</summary>
internal sealed class NumberedFrames(DatagramConnection from, DatagramConnection to, int size, int count)
{
    private readonly byte[] _frame = new byte[size + 2];
    private readonly byte[] _buffer = new byte[64 * 1024];
    private int _appended;
    private int _sent;
    private int _unread;

    public int Received { get; private set; }

    /// <summary>Appends what the sender takes, up to a number of frames. A frame has two bytes of length.</summary>
    public void Send(int most = int.MaxValue)
    {
        for (; most > 0 && _sent < count && from.WantsMore(); most--)
        {
            if (_appended == 0)
            {
                (_frame[0], _frame[1]) = ((byte)(size | 0x80), (byte)(size >> 7));
                BitConverter.TryWriteBytes(_frame.AsSpan(2), _sent);
            }

            _appended += from.AppendReliable(_frame.AsSpan(_appended), isBarrier: false);
            if (_appended < _frame.Length)
                return;
            _appended = 0;
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
