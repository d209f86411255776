using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess.Datagrams;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>One direction of an exchange: what was sent, what the proxy did with it, and what came of it.</summary>
internal sealed class ProxiedDirection(int count, int seed)
{
    private const int LargestOfTraffic = 1100; // with acknowledgements; probes of the size of the path have 1,150 or 1,200 bytes
    private const int LongestDelay = 300; // in datagrams of the direction, whose numbers the window of 1,024 follows
    private const int InFlight = 24; // so that no socket's buffer is ever full: what is lost there, nobody can count

    private readonly Random _random = new(seed);
    private readonly Queue<(int At, byte[] Datagram)> _delayed = new();
    private readonly List<byte[]> _old = [];
    private DatagramsTaken _before;
    private DatagramsTaken _taken;
    private int _passed; // of both kinds: those of the traffic, and those of the connection
    private int _treated;
    private int _forwarded;
    private long _lastPassed = Environment.TickCount64;
    private int _lost;
    private int _harmed;
    private int _repeated;

    /// <summary>Sends all of them, a few at a time, and waits until all that came has become something.</summary>
    /// <param name="sendAsync">Sends some numbers: the first, and how many.</param>
    /// <param name="sumAsync">Asks who receives.</param>
    public async Task RunAsync(Func<int, int, Task> sendAsync, Func<Task<DatagramsTaken>> sumAsync)
    {
        await UntilQuietAsync();
        _before = await sumAsync();
        for (var sent = 0; sent < count; sent += InFlight)
        {
            var some = Math.Min(InFlight, count - sent);
            await sendAsync(sent, some);
            await UntilAsync(sumAsync, () => Volatile.Read(ref _treated) == sent + some && HasAllArrived);
        }
    }

    /// <summary>Does to a datagram what chance wants; called by one thread.</summary>
    /// <returns>What is sent on.</returns>
    public List<byte[]> Treat(byte[] datagram)
    {
        _passed++;
        var on = new List<byte[]>();
        if (datagram.Length is < DatagramTraffic.Size or > LargestOfTraffic) // the connection's own: the handshake, acknowledgements, and probes of the size that the path carries
        {
            Volatile.Write(ref _lastPassed, Environment.TickCount64);
            SendDelayed(on);
            Interlocked.Add(ref _forwarded, on.Count);
            on.Add(datagram);
            return on;
        }

        var what = _random.Next(1000);
        if (what < 30)
            _lost++;
        else if (what < 60)
            (_repeated, on) = (_repeated + 1, [datagram, datagram]);
        else if (what < 100)
            _delayed.Enqueue((_passed + _random.Next(LongestDelay), datagram));
        else if (what < 120)
            (_harmed, on) = (_harmed + 1, [datagram[.._random.Next(datagram.Length)]]);
        else if (what < 140)
            (_harmed, on) = (_harmed + 1, [Flip(datagram)]);
        else
            on.Add(datagram);

        if (what == 999)
            _old.Add(datagram);
        if (what == 500 && _old.Count > 3)
            (_repeated, on) = (_repeated + 1, [.. on, _old[0]]); // long after it came
        SendDelayed(on);
        Interlocked.Add(ref _forwarded, on.Count);
        Interlocked.Increment(ref _treated);
        return on;
    }

    public void Check()
    {
        Assert.Null(_taken.Failure);
        Assert.Equal(count, _treated);
        Assert.Equal(_forwarded, _taken.Deliveries + Dropped());
        Assert.Equal(count - _lost - _harmed - Dropped(DatagramDropReason.InboxFull), _taken.Deliveries); // nothing was delayed by more than the window
        Assert.True(_lost > 0 && _harmed > 0 && _repeated > 0);
        Assert.True(Dropped(DatagramDropReason.Replayed) > 0 && Dropped(DatagramDropReason.Forged) > 0 && Dropped(DatagramDropReason.Malformed) > 0);
    }

    public override string ToString() =>
        $"{_treated} sent: {_lost} lost, {_repeated} repeated, {_harmed} cut or altered by the proxy; {_forwarded} came, {_taken.Deliveries} delivered, dropped: " +
        string.Join(", ", Enum.GetValues<DatagramDropReason>().Where(reason => Dropped(reason) > 0).Select(reason => $"{Dropped(reason)} {reason}"));

    /// <summary>Each is counted once, when it was handled or dropped: the numbers are the same when all were.</summary>
    private bool HasAllArrived => Volatile.Read(ref _forwarded) == _taken.Deliveries + Dropped();

    /// <summary>Adds the delayed datagrams that are due. After the last datagram of the traffic, all are.</summary>
    private void SendDelayed(List<byte[]> on)
    {
        while (_delayed.TryPeek(out var next) && (next.At <= _passed || _treated + 1 >= count))
            on.Add(_delayed.Dequeue().Datagram);
    }

    private byte[] Flip(byte[] datagram)
    {
        var altered = (byte[])datagram.Clone();
        altered[_random.Next(altered.Length)] ^= (byte)(1 << _random.Next(8));
        return altered;
    }

    private long Dropped(DatagramDropReason reason) => _taken.Drops[(int)reason] - _before.Drops[(int)reason];

    private long Dropped() => _taken.Drops.Sum() - _before.Drops.Sum();

    /// <summary>Waits until the handshake is through, and everything of it that was sent again: that is dropped, and counted, too.</summary>
    private async Task UntilQuietAsync()
    {
        const int Quiet = 1000; // twice as long as a handshake waits at most before it sends again
        while (Environment.TickCount64 - Volatile.Read(ref _lastPassed) < Quiet)
            await Task.Delay(Quiet / 10);
    }

    private async Task UntilAsync(Func<Task<DatagramsTaken>> sumAsync, Func<bool> isSo)
    {
        var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
        while (true)
        {
            _taken = await sumAsync();
            if (isSo())
                return;
            if (Environment.TickCount64 > end)
                throw new TimeoutException($"Something was lost that no test lost: {this}");
            await Task.Yield();
        }
    }
}
