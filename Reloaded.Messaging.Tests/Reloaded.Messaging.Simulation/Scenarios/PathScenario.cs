using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>One host sends to another over UDP, by several deliveries at once, over a path that becomes slower and faster.</summary>
internal sealed class PathScenario
{
    private const int Port = 5000;
    private const int Chunk = 20_000;
    private const int Settled = 4; // the seconds after which a sender knows a changed path without a queue
    private const double Excess = 1.5; // a sender tries from time to time whether the path carries more
    private const int Burst = 16_000;

    private readonly SimulatedProcess _server = new("server");
    private readonly SimulatedProcess _client = new("client");
    private readonly Waiting _ordered = new("ordered");
    private readonly Waiting _byType = new("by type");
    private readonly bool _serverSends = World.Random.Chance(0.5);
    private readonly int _interval = 4 + World.Random.Next(20);
    private readonly bool _sendsSnapshots = World.Random.Chance(0.5);
    private readonly bool _loadsAlways = World.Random.Chance(0.5);
    private readonly int _firstLoad = World.Random.Next(4) * 250_000;
    private readonly List<Phase> _phases = [];
    private Peer? _sender;
    private bool _isOver;

    private PathScenario()
    {
        Network.MinDelay = (1 + World.Random.Next(40)) * TimeSpan.TicksPerMillisecond;
        Network.Jitter = World.Random.Chance(0.5) ? 1 : Network.MinDelay / 4;
        Network.Loss = World.Random.Next(3) switch { 0 => 0.02, _ => 0 };
        Network.Lateness = World.Random.Chance(0.5) ? 0.02 : 0;
        for (var left = 1 + World.Random.Next(3); left > 0; left--)
        {
            var rate = World.Random.Next(5) switch { 0 or 1 => 64_000, 2 or 3 => 125_000, _ => 2_500_000 };
            var queue = World.Random.Next(3) switch { 0 => 16_000, 1 => 64_000, _ => 256_000 };
            _phases.Add(new Phase(rate, queue, 5 + World.Random.Next(10)));
        }
    }

    public static Task RunAsync() => new PathScenario().RunWorldAsync();

    private async Task RunWorldAsync()
    {
        World.Note($"world: path of {Network.MinDelay / 10} us, jitter {Network.Jitter / 10} us, loss {Network.Loss}, late {Network.Lateness}, the server sends {_serverSends}, every {_interval} ms, snapshots {_sendsSnapshots}, loads {_firstLoad} and always {_loadsAlways}");
        var options = new MessageHostOptions { KeepAliveTimeout = TimeSpan.FromSeconds(60) };
        var connected = new TaskCompletionSource<Peer>();
        var server = await _server.RunAsync(() => MessageHost.ListenAsync(
            MessageEndpoint.Udp(Port),
            host =>
            {
                Configure(host);
                host.PeerConnected += connected.SetResult;
            },
            options)).ConfigureAwait(false);
        var client = await _client.RunAsync(() => MessageHost.ConnectAsync(MessageEndpoint.Udp(Port), Configure, options)).ConfigureAwait(false);
        var peer = _serverSends ? await connected.Task.ConfigureAwait(false) : client.Server;
        _sender = peer;
        var sender = _serverSends ? _server : _client;
        var sending = sender.RunAsync(() => Task.WhenAll(
            SendAsync(_interval, () => Send(peer, new Numbered(0, _ordered.Begin(), new byte[World.Random.Next(60)]), _ordered)),
            SendAsync(50, () => Send(peer, new Update(_byType.Begin()), _byType)),
            _sendsSnapshots ? SendAsync(16, () => peer.Send(new Snapshot(new byte[600]))) : Task.CompletedTask,
            LoadAsync(peer)));
        await World.DelayAsync(1000 + World.Random.Next(3000)).ConfigureAwait(false);
        foreach (var phase in _phases)
            await RunPhaseAsync(phase).ConfigureAwait(false);
        _isOver = true;
        Network.SetRate(0, 0);
        await sending.ConfigureAwait(false);
        await _client.RunAsync(async () => await client.DisposeAsync().ConfigureAwait(false)).ConfigureAwait(false);
        await _server.RunAsync(async () => await server.DisposeAsync().ConfigureAwait(false)).ConfigureAwait(false);
        await World.DelayAsync(1000).ConfigureAwait(false);
    }

    /// <summary>Keeps the path as it is for a time, and checks what enters it, and what waits.</summary>
    private async Task RunPhaseAsync(Phase phase)
    {
        Network.SetRate(phase.Rate, phase.Queue);
        var entered = Network.EnteredBytes;
        for (var second = 1; second <= phase.Seconds; second++)
        {
            await World.DelayAsync(1000).ConfigureAwait(false);
            World.Note($"entered {(Network.EnteredBytes - entered) / (double)Network.Rate:0.00} of the path, ordered {_ordered}, by type {_byType}. {_sender!.GetStatistics().Path}");
            var (mostBytes, mostSeconds) = second > Settled + (3 * phase.Queue / phase.Rate) ? ((Excess * phase.Rate) + Burst, 3) : (double.MaxValue, 10);
            Law.Require(Network.EnteredBytes - entered <= mostBytes, LawNames.PathIsNotFlooded, $"{Network.EnteredBytes - entered} bytes entered a path that carries {phase.Rate} bytes a second, in second {second} after it changed.");
            Law.Require(Math.Max(_ordered.Oldest, _byType.Oldest) <= mostSeconds, LawNames.WaitingIsSent, $"The oldest small event has waited too long in second {second} after the path changed. Ordered: {_ordered}; by type: {_byType}.");
            entered = Network.EnteredBytes;
        }
    }

    private void Configure(MessageHost host)
    {
        host.Deliver<Numbered>(DeliveryMode.ReliableOrdered);
        host.Deliver<Update>(DeliveryMode.ReliableByType);
        host.Deliver<Load>(DeliveryMode.ReliableByType);
        host.On((in Numbered message, Peer _) => _ordered.End(message.Number));
        host.On((in Update update, Peer _) => _byType.End(update.Number));
        host.On((in Load _, Peer _) => { });
        host.On((in Snapshot _, Peer _) => { });
    }

    private static void Send<T>(Peer peer, T message, Waiting waiting)
    {
        var status = peer.Send(message);
        Law.Require(status == SendStatus.Sent, LawNames.WaitingIsSent, $"The status of a small event is {status}. Of the {waiting}.");
    }

    private async Task SendAsync(int interval, Action send)
    {
        while (!_isOver)
        {
            send();
            await World.DelayAsync(interval).ConfigureAwait(false);
        }
    }

    private async Task LoadAsync(Peer peer)
    {
        var sent = 0;
        while (!_isOver && (_loadsAlways || sent < _firstLoad))
        {
            if (sent >= _firstLoad && Network.Rate == 0) // a path without a limit would carry millions of datagrams
            {
                await World.DelayAsync(50).ConfigureAwait(false);
                continue;
            }

            await peer.SendAsync(new Load(0, 0, new byte[Chunk])).ConfigureAwait(false);
            sent += Chunk;
        }
    }

    /// <summary>The path for a time.</summary>
    private sealed record Phase(int Rate, int Queue, int Seconds);

    /// <summary>The events of one delivery that were sent and are not handled.</summary>
    private sealed class Waiting(string name)
    {
        private readonly Queue<long> _sentAt = new();
        private int _sent;
        private int _handled;

        public int Begin()
        {
            _sentAt.Enqueue(World.Now);
            return _sent++;
        }

        public void End(int number)
        {
            Law.Require(number == _handled, LawNames.Order, $"Event {number} follows event {_handled - 1}. Delivery: {name}.");
            _handled++;
            _sentAt.Dequeue();
        }

        /// <summary>The time for which the oldest event has waited, in seconds.</summary>
        public double Oldest => _sentAt.TryPeek(out var sentAt) ? (World.Now - sentAt) / (double)TimeSpan.TicksPerSecond : 0;

        public override string ToString() => $"{_handled} of {_sent}, {Oldest:0.0} s";
    }
}
