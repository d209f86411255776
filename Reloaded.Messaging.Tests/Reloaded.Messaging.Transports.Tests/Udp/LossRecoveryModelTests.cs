using System.Linq;
using System.Runtime.InteropServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>The sent datagrams and the round trip, compared with a list of all datagrams.</summary>
public sealed class LossRecoveryModelTests
{
    private const int Size = 1000;
    private const long Millisecond = TimeSpan.TicksPerMillisecond;

    /// <summary>The model: a list of all sent datagrams, with the formulas of RFC 9002.</summary>
    [Fact]
    public void LossRecovery_is_a_list_of_datagrams()
    {
        ModelRun.Compare(60, 700, static random =>
        {
            var (owner, model, now) = (new Owner(), new Model(), random.Next(1000) * Millisecond);
            var recovery = new LossRecovery(owner, Size);
            var (pause, reorders) = (random.Pick([2, 10, 60]), random.Pick([2, 6, 40]));
            return () =>
            {
                now += random.Next(200) == 0 ? random.Next(20) * TimeSpan.TicksPerSecond : random.Next(pause * (int)Millisecond);
                string text;
                switch (random.Next(8))
                {
                    case 0 or 1:
                        var count = random.Next(1, 16);
                        for (var left = count; left > 0; left--)
                        {
                            var packet = new SentPacket { SentAt = now, Size = random.Next(4) == 0 ? 0 : random.Next(Size / 2, Size + 1), FirstSegment = (uint)recovery.Next };
                            recovery.NoteSent(packet);
                            model.NoteSent(packet);
                        }

                        text = $"Send {count}";
                        break;
                    case 2:
                        now = random.Next(3) == 0 && recovery.Timer < long.MaxValue ? Math.Max(now, recovery.Timer - random.Next(2)) : now;
                        recovery.Tick(now);
                        model.Tick(now);
                        text = "Tick";
                        break;
                    case 3 when random.Next(20) == 0:
                        recovery.Probe();
                        model.Probe();
                        text = "Probe";
                        break;
                    case 3 when random.Next(60) == 0:
                        recovery.ForgetPath();
                        model.ForgetPath();
                        text = "ForgetPath";
                        break;
                    case 3:
                        recovery.NoteLimited();
                        model.NoteLimited();
                        text = "Limited";
                        break;
                    default:
                        if (model.Packets.Count == 0)
                            return "";
                        var newest = Math.Max(0, model.Packets.Count - 1 - random.Next(random.Next(20) == 0 ? 200 : reorders));
                        var share = random.Next(1, 11);
                        int[] numbers = [.. Enumerable.Range(Math.Max(0, newest - 30), Math.Min(newest, 30)).Where(_ => random.Next(10) < share), newest];
                        var delay = random.Next(3) == 0 ? random.Next(200) : 0;
                        Assert.True(recovery.TryAcknowledge(LossRecoveryTests.MakeAcknowledgement(numbers, delay), now));
                        model.Acknowledge(numbers, delay * Millisecond, now);
                        text = $"Acknowledge {string.Join(',', numbers)} of {model.Packets.Count}";
                        break;
                }

                Assert.Equal(model.Events, owner.Events);
                owner.Events.Clear();
                model.Events.Clear();
                Assert.Equal((model.RoundTrip, model.Deviation, model.Shortest), (recovery.RoundTrip, recovery.Deviation, recovery.Shortest));
                Assert.Equal((model.InFlight, model.Timer, model.IdleSince, model.Probes), (recovery.InFlight, recovery.Timer, recovery.IdleSince, recovery.Probes));
                Assert.Equal((model.LossShare, model.IsWithinWindow), (recovery.LossShare, recovery.IsWithinWindow));
                Assert.Equal((model.Window.Size, model.Window.NextSend(now)), (recovery.Window.Size, recovery.Window.NextSend(now)));
                return text;
            };
        });
    }

    private sealed class Owner : ISentPacketOwner
    {
        public List<(string Event, long Number)> Events { get; } = [];

        public void NoteAcknowledged(in SentPacket packet) => Events.Add(("acknowledged", packet.FirstSegment));

        public void NoteLost(in SentPacket packet, ulong number) => Events.Add(("lost", (long)number));

        public void NoteProbe() => Events.Add(("probe", 0));
    }

    private sealed class Model
    {
        private const int LossBlock = 512;

        private int _first; // the oldest datagram whose fate is not known
        private int _path; // the first datagram on the path
        private int _largest; // that was acknowledged
        private int _threshold = 3;
        private int _backoff;
        private long _late;
        private long _latest;
        private long _measuredAt = long.MaxValue;
        private long _lossTime = long.MaxValue;
        private (int Known, int Lost) _block;
        private (int Known, int Lost) _blockBefore;

        public List<SentPacket> Packets { get; } = [];

        public List<(string Event, long Number)> Events { get; } = [];

        public CongestionWindow Window { get; private set; } = new(Size);

        public long RoundTrip { get; private set; } = 100 * Millisecond;

        public long Deviation { get; private set; } = 50 * Millisecond;

        public long Shortest { get; private set; }

        public int Probes { get; private set; }

        public int InFlight => Find(PacketState.InFlight).Sum(number => Packets[number].Size);

        public long IdleSince => InFlight > 0 ? long.MaxValue : LastSent;

        public long Timer => Math.Min(_lossTime, InFlight == 0 ? long.MaxValue : LastSent + (ProbeTimeout << Math.Min(_backoff, 16)));

        public bool IsWithinWindow => InFlight + Size <= Window.Size;

        public double? LossShare => _block.Known + _blockBefore.Known == 0 ? null : (_block.Lost + _blockBefore.Lost) / (double)(_block.Known + _blockBefore.Known);

        private long LastSent => Packets.FindLast(static packet => packet.Size > 0).SentAt;

        private long Delay => Shortest == 0 ? 20 * Millisecond : Math.Clamp(RoundTrip / 4, 2 * Millisecond, 20 * Millisecond);

        private long ProbeTimeout => RoundTrip + Math.Max(4 * Deviation, Millisecond) + Delay;

        public void NoteSent(SentPacket packet)
        {
            if (packet.Size > 0)
                Window.NoteSent(ref packet, InFlight);
            packet.State = packet.Size > 0 ? PacketState.InFlight : PacketState.Resolved;
            if (packet.Size == 0 && _first == Packets.Count)
                _first++;
            Packets.Add(packet);
        }

        public void NoteLimited()
        {
            if (IsWithinWindow)
                Window.NoteLimited(InFlight);
        }

        /// <summary>Datagrams are acknowledged in the order of the ranges: the newest range first, and each range in ascending order.</summary>
        public void Acknowledge(int[] numbers, long delay, long now)
        {
            var (ranges, isMeasured) = (new List<List<int>>(), false);
            foreach (var number in numbers)
            {
                if (ranges.Count == 0 || ranges[^1][^1] != number - 1)
                    ranges.Add([]);
                ranges[^1].Add(number);
            }

            ranges.Reverse();
            foreach (var number in ranges.SelectMany(static range => range).Where(number => number >= _first).ToList())
            {
                var packet = Packets[number];
                if (packet.State == PacketState.Lost)
                    NoteLate(number, now);
                if (packet.State != PacketState.InFlight)
                    continue;
                if (number == numbers[^1] && number >= _path)
                {
                    Measure(now - packet.SentAt, delay, now);
                    isMeasured = true;
                }

                Resolve(number, PacketState.Acknowledged);
                if (number >= _path)
                    Window.NoteAcknowledged(packet, now);
                Events.Add(("acknowledged", number));
                _backoff = 0;
            }

            _largest = Math.Max(_largest, numbers[^1]);
            if (isMeasured && _measuredAt == long.MaxValue)
                _measuredAt = now;
            DetectLosses(now);
            Window.EndAcknowledgement(InFlight, now);
        }

        public void Tick(long now)
        {
            if (now < Timer)
                return;
            if (now >= _lossTime)
            {
                DetectLosses(now);
                return;
            }

            _backoff++;
            MakeProbes();
        }

        public void Probe()
        {
            _backoff = 0;
            if (InFlight > 0)
                MakeProbes();
        }

        public void ForgetPath()
        {
            (_path, Window, RoundTrip, Deviation, Shortest) = (Packets.Count, new CongestionWindow(Size), 100 * Millisecond, 50 * Millisecond, 0);
            (_latest, _measuredAt, _backoff) = (0, long.MaxValue, 0);
        }

        private List<int> Find(PacketState state)
        {
            var found = new List<int>();
            var packets = CollectionsMarshal.AsSpan(Packets);
            for (var number = _first; number < packets.Length; number++)
            {
                if (packets[number].State == state)
                    found.Add(number);
            }

            return found;
        }

        private void MakeProbes()
        {
            Probes = 2;
            Events.Add(("probe", 0));
        }

        private void Measure(long sample, long delay, long now)
        {
            sample = _latest = Math.Max(1, sample);
            if (Shortest == 0)
            {
                (RoundTrip, Deviation, Shortest) = (sample, sample / 2, sample);
            }
            else
            {
                Shortest = Math.Min(Shortest, sample);
                if (sample >= Shortest + Math.Min(delay, Delay))
                    sample -= Math.Min(delay, Delay);
                Deviation += (Math.Abs(RoundTrip - sample) - Deviation) / 4;
                RoundTrip += (sample - RoundTrip) / 8;
            }

            Window.NoteRoundTrip(_latest, now);
        }

        private void DetectLosses(long now)
        {
            var longest = Math.Max(RoundTrip, _latest);
            var patience = Math.Max(Math.Max(longest * 9 / 8, longest + _late), Millisecond);
            var (begin, worst) = (-1, 0L);
            _lossTime = long.MaxValue;
            foreach (var number in Find(PacketState.InFlight).Where(number => number < _largest))
            {
                var sentAt = Packets[number].SentAt;
                if (number + _threshold > _largest && sentAt + patience > now)
                {
                    _lossTime = Math.Min(_lossTime, sentAt + patience);
                    continue;
                }

                Lose(number);
                if (sentAt < _measuredAt)
                    continue;
                if (begin < 0 || Packets.GetRange(begin, number - begin).Exists(static packet => packet.State == PacketState.Acknowledged))
                    begin = number;
                worst = Math.Max(worst, sentAt - Packets[begin].SentAt);
            }

            if (worst > 3 * ProbeTimeout)
                Window.NotePersistentCongestion();
            while (_first < Packets.Count && (Packets[_first].State is PacketState.Resolved or PacketState.Acknowledged || (Packets[_first].State == PacketState.Lost && now - Packets[_first].SentAt > 4 * RoundTrip)))
                _first++;
        }

        private void Lose(int number)
        {
            Resolve(number, PacketState.Lost);
            _block.Lost++;
            Events.Add(("lost", number));
            if (number >= _path)
                Window.NoteLost(Packets[number].Size);
        }

        private void Resolve(int number, PacketState state)
        {
            SetState(number, state);
            _block.Known++;
            if (_block.Known < LossBlock)
                return;
            (_blockBefore, _block, _late, _threshold) = (_block, default, _late * 7 / 8, Math.Max(3, _threshold * 7 / 8));
        }

        private void NoteLate(int number, long now)
        {
            _threshold = Math.Clamp(Math.Max(0, _largest - number) + 1, _threshold, ReplayWindow.Size / 2);
            _late = Math.Max(_late, Math.Min(now - Packets[number].SentAt - RoundTrip, 3 * RoundTrip));
            SetState(number, PacketState.Acknowledged);
            _block.Lost = Math.Max(0, _block.Lost - 1);
            if (number >= _path)
                Window.NoteLost(-Packets[number].Size);
            Events.Add(("acknowledged", number));
        }

        private void SetState(int number, PacketState state)
        {
            var packet = Packets[number];
            packet.State = state;
            Packets[number] = packet;
        }
    }
}
