using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.Channels.Udp;
using Reloaded.Messaging.Hosting.Peers;
using Reloaded.Messaging.Hosting.Protection;
using Reloaded.Messaging.Serialization;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels.Udp;

/// <summary>
/// Two hosts exchange encrypted datagrams by a proxy that loses, repeats, delays, cuts and alters them. 50,000, or as many as
/// RELOADED_MESSAGING_DATAGRAMS says: a million takes some minutes.
/// </summary>
public sealed class MillionDatagramsTests
{
    private const int InFlight = 24;
    private const int PacketsPerKey = 5000;

    private static readonly MessageContract<ReadOnlyMemory<byte>> s_contract = new(90, new RawSerializer());
    private static readonly int s_datagrams =
        int.TryParse(Environment.GetEnvironmentVariable("RELOADED_MESSAGING_DATAGRAMS"), CultureInfo.InvariantCulture, out var count) ? count : 50_000;

    [Fact]
    public async Task Nothing_is_delivered_twice_nothing_forged_is_and_every_drop_is_counted()
    {
        var options = new HostOptions
        {
            Protection = ProtectionOptions.WithSecret(new byte[32]).RotatingAfter(PacketsPerKey),
            PingInterval = TimeSpan.FromHours(1),
            DeadAfter = TimeSpan.FromHours(1),
        };
        var (up, down) = (new Way(seed: 1), new Way(seed: 2));
        await using var proxy = new UdpProxy { Treat = (datagram, isUp) => (isUp ? up : down).Treat(datagram) };
        await using var server = await MessageHost.ListenAsync(Endpoint.Udp(0), server => server.On(s_contract, (in ReadOnlyMemory<byte> message, Peer _) => up.Take(message)), options);
        proxy.Start(server.Endpoint);
        await using var client = await MessageHost.ConnectAsync(proxy.Endpoint, client => client.On(s_contract, (in ReadOnlyMemory<byte> message, Peer _) => down.Take(message)), options).InTime();
        var peer = await server.Connection().InTime();
        await Signal.UntilAsync(() => server.Datagrams!.Received == up.Passed && client.Datagrams!.Received >= down.PassedSealed); // the handshake is through
        up.Begin(server.Datagrams!);
        down.Begin(client.Datagrams!);

        await Task.WhenAll(Task.Run(() => up.SendAsync(client.Server, s_datagrams / 2)), Task.Run(() => down.SendAsync(peer, s_datagrams / 2)));

        foreach (var way in new[] { up, down })
        {
            await Signal.UntilAsync(() => way.IsSettled);
            TestContext.Current.TestOutputHelper?.WriteLine(way.ToString());
            way.Check(s_datagrams / 2);
        }

        Assert.Equal((0, 0), (server.GetStatistics().HandlerFailures, client.GetStatistics().HandlerFailures));
        Assert.Equal((0, 0), (server.GetStatistics().MalformedMessages, client.GetStatistics().MalformedMessages));
        Assert.True(peer.IsConnected && client.Server.IsConnected);
    }

    /// <summary>One direction: what was sent, what the proxy did with it, and what came of it.</summary>
    private sealed class Way(int seed)
    {
        private const int Size = 700; // two don't fit into one datagram

        private readonly Random _random = new(seed);
        private readonly Queue<(int At, byte[] Datagram)> _delayed = new();
        private readonly List<byte[]> _old = [];
        private readonly BitArray _delivered = new(s_datagrams);
        private DatagramCounts _counts = new();
        private long _received;
        private long[] _drops = [];
        private int _treated;
        private int _forwarded;
        private int _passedBefore;
        private int _lost;
        private int _harmed;
        private int _repeated;
        private int _deliveries;
        private string? _failure;

        private static DatagramDrop[] Reasons { get; } = Enum.GetValues<DatagramDrop>();

        /// <summary>Small ones, which are the connection's own: pings, and what shook hands.</summary>
        public int Passed { get; private set; }

        public int PassedSealed { get; private set; }

        /// <summary>Whether all that came has become something.</summary>
        public bool IsSettled => Received == _deliveries + Dropped() + Passed - _passedBefore;

        private long Received => _counts.Received - _received;

        public void Begin(DatagramCounts counts)
        {
            _passedBefore = Passed;
            _counts = counts;
            _received = counts.Received;
            _drops = [.. Reasons.Select(counts.Get)];
        }

        public async Task SendAsync(Peer peer, int count)
        {
            for (var i = 0; i < count; i++)
            {
                Assert.Equal(SendStatus.Sent, peer.Send(s_contract, Make(i)));
                await WaitAsync(i - InFlight, InFlight); // so that no socket's buffer is ever full: what is lost there, nobody can count
            }

            await WaitAsync(count, 0);
        }

        public List<byte[]> Treat(byte[] datagram)
        {
            if (datagram.Length < Size)
            {
                Passed++;
                PassedSealed += datagram[0] == DatagramFormat.Sealed ? 1 : 0;
                return [datagram];
            }

            var on = new List<byte[]>();
            var what = _random.Next(1000);
            if (what < 30)
                _lost++;
            else if (what < 60)
                (_repeated, on) = (_repeated + 1, [datagram, datagram]);
            else if (what < 100)
                _delayed.Enqueue((_treated + 1 + _random.Next(200), datagram));
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
            while (_delayed.TryPeek(out var next) && (next.At <= _treated || _treated + 1 >= s_datagrams / 2))
                on.Add(_delayed.Dequeue().Datagram);
            Interlocked.Add(ref _forwarded, on.Count);
            Interlocked.Increment(ref _treated);
            return on;
        }

        public void Take(ReadOnlyMemory<byte> message)
        {
            var number = BitConverter.ToInt32(message.Span);
            if (!message.Span.SequenceEqual(Make(number)))
                _failure ??= "Something came that nobody sent.";
            else if (_delivered[number])
                _failure ??= $"{number} came twice.";
            else
                _delivered[number] = true;
            _deliveries++;
        }

        public void Check(int sent)
        {
            Assert.Null(_failure);
            Assert.Equal(sent, _treated);
            Assert.Equal(_forwarded, Received - Passed + _passedBefore);
            Assert.Equal(_forwarded, _deliveries + Dropped());
            Assert.Equal(sent - _lost - _harmed - Dropped(DatagramDrop.InboxFull), _deliveries); // nothing was delayed by more than the window
            Assert.True(_lost > 0 && _harmed > 0 && _repeated > 0 && Dropped(DatagramDrop.Replayed) > 0 && Dropped(DatagramDrop.Forged) > 0 && Dropped(DatagramDrop.Malformed) > 0);
        }

        public override string ToString() =>
            $"{_treated} sent: {_lost} lost, {_repeated} repeated, {_harmed} cut or altered by the proxy; {_forwarded} came, {_deliveries} delivered, dropped: " +
            string.Join(", ", Reasons.Where(reason => Dropped(reason) > 0).Select(reason => $"{Dropped(reason)} {reason}"));

        private static byte[] Make(int number)
        {
            var message = new byte[Size];
            var words = MemoryMarshal.Cast<byte, int>(message.AsSpan());
            for (var i = 0; i < words.Length; i++)
                words[i] = unchecked(number + (i * (int)0x9E3779B9));
            return message;
        }

        private byte[] Flip(byte[] datagram)
        {
            var altered = (byte[])datagram.Clone();
            altered[_random.Next(altered.Length)] ^= (byte)(1 << _random.Next(8));
            return altered;
        }

        private long Dropped(DatagramDrop reason) => _counts.Get(reason) - _drops[(int)reason];

        private long Dropped() => Reasons.Sum(Dropped);

        private async Task WaitAsync(int treated, int inFlight)
        {
            var end = Environment.TickCount64 + (long)Deadline.Length.TotalMilliseconds;
            while (Volatile.Read(ref _treated) < treated || Volatile.Read(ref _forwarded) - Received > inFlight)
            {
                await Task.Yield();
                if (Environment.TickCount64 > end)
                    throw new TimeoutException($"Something was lost that no test lost: {this}");
            }
        }
    }
}
