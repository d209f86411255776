using LiteNetLib;
using LiteNetLib.Utils;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Benchmarks.Udp;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Transports.LiteNetLib;

namespace Reloaded.Messaging.Benchmarks.LiteNet;

/// <summary>Group <c>litenet</c>: hosts over LiteNetLib on loopback, compared with a plain UDP socket and with LiteNetLib alone, and messages, compared with the <see cref="NetPacketProcessor"/> of LiteNetLib.</summary>
public sealed class LiteNetFigures(Action<Figure> print) : FigureGroup(print)
{
    private const string Other = "LiteNetLib";
    private const int InFlight = 255;
    private const int MessagesToAcknowledge = 16; // as in the transport
    private const int Block = 50;
    private const int AllocationCalls = 200; // calls with one block each: 10,000 messages

    private static readonly int[] s_sizes = [16, 900];
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(300);

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["litenet.requests.ratio"] = "Five threads share two processors, and both sides use both fully. The idle workers of the thread pool spin, by yielding, before they sleep. In this library, they run dry more often: in the median, a request has 0.2 work items of the pool and costs 0.5 forced switches of threads; in LiteNetLib alone, 1 and 0.15. In two runs of 22 rounds without the spinning (`DOTNET_ThreadPool_UnfairSemaphoreSpinLimit=0`), the ratios of the medians were 0.93 and 0.91, and in two runs with it 0.59 and 0.68. What is missing to 1.2 beyond that was not measured. Both sides send one datagram for ten requests.",
        ["litenet.oneway.reliable.900.triggered.ratio"] = "An event of 900 bytes fills a packet, so each is a packet and a system call on both sides. Here, it is also packed, and copied into the queue of its order.",
    };

    public override string Method => "Hosts over LiteNetLib on loopback, in one process, are compared with a plain UDP socket and with LiteNetLib alone, which sends at once. In one direction, its receiver acknowledges at the next update of LiteNetLib or, `triggered`, after 16 messages. " + PairedRuns.Method + " Each delivery method alone: 11 rounds of 0.3 s. `processor`: a class with a short text is packed and handled, as by the NetPacketProcessor of LiteNetLib, without a network; 41 rounds.";

    public override void Measure()
    {
        Process();
        MeasureAsync().GetAwaiter().GetResult();
    }

    private async Task MeasureAsync()
    {
        await using (var server = await MessageHost.ListenAsync(new LiteNetTransport().At(0), static host => host.OnRequest(static (in EchoMessage message, Peer _) => message)))
        await using (var client = await MessageHost.ConnectAsync(new LiteNetTransport().At(server.Endpoint.Port)))
        {
            if (OnlyAllocations)
                await Asking.OursAsync([client], 1, TimeSpan.FromSeconds(3)); // the runtime allocates while it still compiles
            await PingPongAsync(client);
            await InFlightAsync(client);
            Report("litenet.alloc", Figure.Bytes, await Asking.AllocatedAsync([client], 1), 0); // with more, LiteNetLib allocates whenever more packets are in use than before
        }

        if (OnlyAllocations)
            return;
        foreach (var size in s_sizes)
        {
            await ReliableAsync($"litenet.oneway.reliable.{size}", size, messagesToAcknowledge: 0);
            await ReliableAsync($"litenet.oneway.reliable.{size}.triggered", size, MessagesToAcknowledge);
        }

        foreach (var method in Enum.GetValues<DeliveryMethod>())
            await OneWayAsync(method);
    }

    /// <summary>Compares a class with a short text packed and dispatched with the same class written and read by the processor of LiteNetLib.</summary>
    private void Process()
    {
        using var paths = new ProcessorPaths(Block);
        var race = RunRace("processor", Block, paths.Processor, paths.Ours);
        AddPeer("pack and handle a class with a text", Other, race);
        Report("processor.ratio", "ratio", race.Ratios, 1);
        Report("processor.floor.ns", "ns", race.Floor);
        Report("processor.ns", "ns", race.Measured);
        Report("processor.floor.alloc", Figure.Bytes, [Race.Allocated(Block, AllocationCalls, paths.Processor)]);
        Report("processor.alloc", Figure.Bytes, [Race.Allocated(Block, AllocationCalls, paths.Ours)]);
        Report("processor.floor.size", Figure.Bytes, [paths.ProcessorSize]);
        Report("processor.size", Figure.Bytes, [paths.OurSize]);
    }

    /// <summary>Compares a request at a time with one datagram in each direction.</summary>
    private async Task PingPongAsync(MessageClient client)
    {
        using var echo = BareUdp.Bind();
        _ = BareUdp.EchoAsync(echo);
        using var socket = BareUdp.Connect(echo);
        ReportPaired("litenet.pingpong", await RunDuelAsync(time => BareUdp.AskAsync(socket, time), time => Asking.OursAsync([client], 1, time)), 0.8);
    }

    /// <summary>Compares awaited requests with awaited packets of LiteNetLib, with the same number in flight.</summary>
    private async Task InFlightAsync(MessageClient client)
    {
        using var bare = new BareLiteNet(InFlight);
        var duel = await RunDuelAsync(bare.AskAsync, time => Asking.OursAsync([client], InFlight, time));
        AddPeer("requests, 255 in flight", Other, duel);
        ReportPaired("litenet.requests", duel, 1.2);
    }

    /// <summary>Compares reliable, ordered events in one direction with packets of LiteNetLib alone.</summary>
    private async Task ReliableAsync(string name, int size, int messagesToAcknowledge)
    {
        await using var events = await OneWayEvents.OpenAsync(size, LiteNetDelivery.InOrder);
        using var bare = new BareLiteNet(messagesToAcknowledge: messagesToAcknowledge);
        var duel = await RunDuelAsync(time => Task.FromResult(bare.Send(size, time)), async time => (await events.RunAsync(time)).Rate);
        AddPeer($"reliable events of {size} bytes{(messagesToAcknowledge > 0 ? ", acknowledged by 16" : "")}", Other, duel);
        ReportPaired(name, duel, 1);
    }

    /// <summary>Measures received events per second, from one sender that waits when the host is full.</summary>
    private async Task OneWayAsync(DeliveryMethod method)
    {
        await using var events = await OneWayEvents.OpenAsync(sizeof(long) * 3, new LiteNetDelivery(method));
        var (rates, shares) = (new List<double>(), new List<double>());
        await events.RunAsync(s_time); // warm-up
        for (var round = 0; round < PairedRuns.Rounds; round++)
        {
            var (rate, arrived) = await events.RunAsync(s_time);
            rates.Add(rate);
            shares.Add(arrived);
        }

        Report($"litenet.oneway.{method}.rate", "messages/s", rates);
        Report($"litenet.oneway.{method}.arrived", "ratio", shares);
    }

    /// <summary>One block of messages, by the processor of LiteNetLib and by the library. Each path returns the checksum of what it handled.</summary>
    private sealed class ProcessorPaths : IDisposable
    {
        private readonly int _block;
        private readonly ProcessorMessage _message = new() { Id = 123_456_789, X = 17, Y = 4, Name = "a text of 20 letters" };
        private readonly NetPacketProcessor _processor = new();
        private readonly NetDataWriter _packets = new();
        private readonly NetDataReader _received = new();
        private readonly MessageBatch _batch = new();
        private readonly MessageWriter _writer = new();
        private readonly MessageDispatcher<long> _dispatcher = new();
        private long _sum;

        public ProcessorPaths(int block)
        {
            _block = block;
            _processor.SubscribeReusable<ProcessorMessage>(message => _sum += Sum(message));
            _ = _dispatcher.Register<ProcessorMessage>(static (in ProcessorMessage message, ref long sum) => sum += Sum(message));
        }

        public double ProcessorSize => _packets.Length / (double)_block;

        public double OurSize => _batch.Length / (double)_block;

        public long Processor()
        {
            _sum = 0;
            _packets.Reset();
            for (var i = 0; i < _block; i++)
                _processor.Write(_packets, _message);
            _received.SetSource(_packets.Data, 0, _packets.Length);
            _processor.ReadAllPackets(_received);
            return _sum;
        }

        public long Ours()
        {
            long sum = 0;
            _batch.Clear();
            for (var i = 0; i < _block; i++)
                _writer.Append(_batch, _message);
            foreach (var message in _batch)
                _dispatcher.Dispatch(message, ref sum);
            return sum;
        }

        public void Dispose() => _batch.Dispose();

        private static long Sum(ProcessorMessage message) => message.Id + message.X + message.Y + message.Name.Length;
    }
}

/// <summary>A message with a text, for two libraries: LiteNetLib reads and writes public properties of classes.</summary>
[Message(60)]
public sealed class ProcessorMessage
{
    public long Id { get; set; }

    public int X { get; set; }

    public int Y { get; set; }

    public string Name { get; set; } = "";
}
