using System.Globalization;
using System.IO;
using System.Linq;
using Examples;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Processes;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>The results of a library for one size and one number of requests in flight.</summary>
/// <param name="Library">The library.</param>
/// <param name="Size">The size of the payloads in bytes.</param>
/// <param name="InFlight">The number of requests in flight.</param>
public sealed record PeerCell(EchoLibrary Library, int Size, int InFlight)
{
    /// <summary>The replies per second, in each round.</summary>
    public List<double> Rates { get; } = [];

    /// <summary>The median latencies in microseconds, in each round.</summary>
    public List<double> P50 { get; } = [];

    /// <summary>The 99th percentiles of the latencies in microseconds, in each round.</summary>
    public List<double> P99 { get; } = [];

    /// <summary>The processor time of both processes per request in microseconds, in each round.</summary>
    public List<double> Processor { get; } = [];

    /// <summary>The allocated bytes of both processes per request, in each round.</summary>
    public List<double> Bytes { get; } = [];

    public void Add(double rate, long count, double median, double high, Usage usage)
    {
        Rates.Add(rate);
        P50.Add(median);
        P99.Add(high);
        Processor.Add(usage.ProcessorTime.TotalMicroseconds / count);
        Bytes.Add((double)usage.Bytes / count);
    }

    /// <summary>The place of the library in <see cref="EchoLibrary.All"/>, the size, the number of requests in flight, and the medians of the rounds.</summary>
    public double[] Medians => [EchoLibrary.All.ToList().IndexOf(Library), Size, InFlight, .. new[] { Rates, P50, P99, Processor, Bytes }.Select(static rounds => Figure.Of("", "", rounds).Value)];

    /// <summary>Adds the <see cref="Medians"/> of a pair of processes as one round.</summary>
    public void Add(double[] medians)
    {
        Rates.Add(medians[3]);
        P50.Add(medians[4]);
        P99.Add(medians[5]);
        Processor.Add(medians[6]);
        Bytes.Add(medians[7]);
    }

    /// <summary>The medians of the rounds as text: rate, median latency, 99th percentile, processor time and bytes.</summary>
    public string[] Texts => [Text(Rates, 0), Text(P50, 1), Text(P99, 1), Text(Processor, 1), Text(Bytes, 0)];

    private static string Text(List<double> rounds, int digits) => Figure.Of("", "", rounds).Value.ToString($"N{digits}", CultureInfo.InvariantCulture);
}

/// <summary>Group <c>peers</c>: requests in two processes by this library, by hand-written code and by other libraries, and a comparison of serializers.</summary>
public sealed class PeerFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Rounds = 3; // of each pair of processes
    private const int WarmUps = 2;

    /// <summary>The sizes of the payloads in bytes.</summary>
    public static readonly int[] Sizes = [16, 200, 4096, 65536];

    /// <summary>The numbers of requests in flight.</summary>
    public static readonly int[] InFlight = [1, 100, 255];

    /// <summary>The number of requests in flight of the plot and of most targets.</summary>
    public const int Busy = 100;

    /// <summary>The sizes of the items of streams in bytes.</summary>
    public static readonly int[] ItemSizes = [16, 4096];

    private static readonly string[] s_directions = ["from the client", "from the server", "both ways"];

    private static readonly TimeSpan s_round = TimeSpan.FromMilliseconds(350);
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(200);

    private readonly List<PeerCell> _cells = [];

    /// <summary>The results by library, size and number of requests in flight.</summary>
    public IReadOnlyList<PeerCell> Table => _cells;

    /// <summary>The results of the serializers.</summary>
    public IReadOnlyList<SerializerResult> Serializers { get; private set; } = [];

    private const string Beyond = "This library carries 1.2 to 1.4 GB/s of such items here, and plain sockets 1.0 to 1.8 GB/s (`stream.file.floor.rate`). Four times the fastest other library would be 2.0 to 3.2 GB/s.";

    private const string Floor = "A request takes 0.3 to 0.5 µs more processor time than by hand. Group `request` shows 0.19 µs of it, by its parts, on one thread. The rest is seen only in two processes: the sending and the receiving thread use the same lines of memory of the table of requests, of the outbox and of the pooled requests.";

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["peers.16.255.floor.ratio"] = Floor,
        ["peers.16.255.floor.processor.ratio"] = Floor,
        ["peers.200.100.floor.ratio"] = Floor,
        ["peers.200.100.floor.processor.ratio"] = Floor,
        ["peers.4096.100.ratio"] = "The system copies 8 KiB for each request. The hand-written socket is 5 times as fast as the fastest other library.",
        ["items.4096.in.ratio"] = Beyond,
        ["items.4096.out.ratio"] = Beyond,
        ["items.4096.both.ratio"] = Beyond,
        ["record.size.ratio"] = "A number has its full size, so that a reader copies it without a branch. The record takes 45 bytes more than with MessagePack, and is read in half of its time. `docs/specification/binary-format.md` counts the bytes of each part.",
    };

    public override string Method => string.Create(CultureInfo.InvariantCulture, $"One process has the servers, another has the clients. All servers and connections exist during the whole run. A request has an array of bytes, and its reply has the same bytes. Each library has one connection. The libraries take turns in {Rounds} rounds of {s_round.TotalSeconds} s, and each round starts with another library. Before each round, both processes collect garbage. {FreshPairs.Method} Processor time and allocated bytes are those of both processes together. The hand-written socket has ids, a table of slots, a completion for each request on the thread pool, a handler for each frame, and checks of each length and id. `peers.SIZE.N.ratio` is the rate with N requests in flight, compared with the fastest other library; `p50.ratio` is the median latency, compared with the shortest of the other libraries; `floor.ratio` is the rate over a Unix socket, compared with the hand-written socket, and `floor.processor.ratio` the processor time. Each library is compared with this library over the same transport. `items.SIZE.DIRECTION.ratio` compares the items per second of streams of arrays of bytes with those of the fastest other library, and `alloc` has the allocated bytes of an item, of which the received array is a part. StreamJsonRpc sends 100 items or more at a time, and reads 1,000 ahead; it ends the items of an argument when the call returns, so it has no figure for both directions. `items.slow` is the number of bytes that a source has returned while the reader waited for {Items.SlowTime.TotalSeconds} s after one item. {RecordSerializers.Method}");

    public override void Measure()
    {
        if (!OnlyAllocations)
            MeasureAsync().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public override void Load(IReadOnlyList<GroupResults> pairs)
    {
        base.Load(pairs);
        for (var i = 0; i < pairs[0].Cells.Count; i++)
        {
            var rows = pairs.Select(pair => pair.Cells[i]).ToList();
            var cell = new PeerCell(EchoLibrary.All[(int)rows[0][0]], (int)rows[0][1], (int)rows[0][2]);
            rows.ForEach(cell.Add);
            _cells.Add(cell);
        }

        foreach (var cells in _cells.Chunk(EchoLibrary.All.Count))
            Print(cells);
        Serializers = RecordSerializers.Measure();
        ReportSerializers();
    }

    public override bool IsOfTwoProcesses => true;

    protected override IReadOnlyList<double[]> Cells => _cells.ConvertAll(static cell => cell.Medians);

    private async Task MeasureAsync()
    {
        var folder = Directory.CreateTempSubdirectory("rm-peers").FullName;
        var clients = new List<EchoClient>();
        try
        {
            using var other = await PeerProcess.StartAsync(folder);
            for (var i = 0; i < EchoLibrary.All.Count; i++)
                clients.Add(await EchoLibrary.All[i].ConnectAsync(other.Addresses[i]));
            for (var warmUp = 0; warmUp < WarmUps; warmUp++)
            {
                foreach (var client in clients)
                {
                    foreach (var size in (int[])[Sizes[0], Sizes[^1]])
                    {
                        await client.AskAsync(size, Busy, s_round);
                        await client.AskAsync(size, 1, s_warmUp);
                    }
                }
            }

            foreach (var inFlight in InFlight)
            {
                foreach (var size in Sizes)
                    await MeasureAsync(other, clients, size, inFlight);
            }

            await MeasureItemsAsync(other, clients);
            foreach (var client in clients)
                await client.DisposeAsync();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        foreach (var size in Sizes)
            ReportHosts(size);
    }

    private async Task MeasureAsync(PeerProcess other, List<EchoClient> clients, int size, int inFlight)
    {
        var cells = EchoLibrary.All.Select(library => new PeerCell(library, size, inFlight)).ToList();
        for (var round = -1; round < Rounds; round++) // the first one does not count
        {
            for (var turn = 0; turn < cells.Count; turn++)
            {
                var i = (turn + round + cells.Count) % cells.Count;
                var (result, usage) = await other.MeasureAsync(() => clients[i].AskAsync(size, inFlight, round < 0 ? s_warmUp : s_round));
                if (round >= 0)
                    cells[i].Add(result.Rate, result.Count, result.P50, result.P99, usage);
            }
        }

        _cells.AddRange(cells);
        Print(cells);
    }

    private static void Print(IReadOnlyList<PeerCell> cells)
    {
        var table = new Table("", "requests/s", "p50 us", "p99 us", "processor us", "B");
        foreach (var cell in cells)
            table.Add([cell.Library.FullName, .. cell.Texts]);
        table.Print(string.Create(CultureInfo.InvariantCulture, $"{cells[0].Size} B, {cells[0].InFlight} in flight"));
    }

    /// <summary>Measures streams of items by the libraries that have them: items per second, allocated bytes of an item, and the bytes that a source is ahead of a slow reader.</summary>
    private async Task MeasureItemsAsync(PeerProcess other, List<EchoClient> clients)
    {
        var all = EchoLibrary.All.Zip(clients).Where(static one => one.Second is IItemClient && one.First.Transport != EchoLibrary.SharedMemory).ToList();
        foreach (var size in ItemSizes)
        {
            foreach (var direction in Enum.GetValues<ItemDirection>())
            {
                var streaming = all.FindAll(one => direction != ItemDirection.Both || one.Second is IItemExchange);
                var peers = streaming.Where(static one => one.First.Role == EchoRole.Peer).Select(static one => one.First).ToList();
                var (rates, bytes) = (new Dictionary<EchoLibrary, List<double>>(), new Dictionary<EchoLibrary, List<double>>());
                for (var round = -1; round < Rounds; round++) // the first one does not count
                {
                    foreach (var (library, client) in streaming)
                    {
                        var (result, usage) = await other.MeasureAsync(() => Items.RunAsync((IItemClient)client, direction, size, round < 0 ? s_warmUp : s_round));
                        if (round < 0)
                            (rates[library], bytes[library]) = ([], []);
                        else
                            rates[library].Add(result.Rate);
                        if (round >= 0)
                            bytes[library].Add((double)usage.Bytes / result.Count);
                    }
                }

                var name = string.Create(CultureInfo.InvariantCulture, $"items.{size}.{direction.ToString().ToLowerInvariant()}");
                var ratios = peers.ConvertAll(peer => Divide(rates[peer.Counterpart(EchoRole.Ours)], rates[peer]));
                Report($"{name}.ratio", "ratio", [.. Enumerable.Range(0, Rounds).Select(round => ratios.Min(one => one[round]))], 4, isAtLeast: true);
                Report($"{name}.alloc", "B", bytes[peers[0].Counterpart(EchoRole.Ours)]);
                foreach (var peer in peers)
                {
                    var ours = rates[peer.Counterpart(EchoRole.Ours)];
                    AddPeer(string.Create(CultureInfo.InvariantCulture, $"items of {size} B over {Phrase(peer.Transport)}, {s_directions[(int)direction]}"), peer.Name, "items/s", rates[peer], ours, Divide(ours, rates[peer]));
                }
            }
        }

        foreach (var (library, client) in all)
            Report($"items.slow.{library.Name.Split(' ', ',')[0].ToLowerInvariant()}-{library.Transport.Split(' ')[0].ToLowerInvariant()}", "B", [await Items.GetAheadAsync((IItemClient)client, ItemSizes[^1])]);
    }

    private void ReportHosts(int size)
    {
        var peers = EchoLibrary.All.Where(static library => library.Role == EchoRole.Peer).ToList();
        foreach (var inFlight in InFlight)
        {
            var ratios = peers.ConvertAll(peer => Divide(Find(peer.Counterpart(EchoRole.Ours)).Rates, Find(peer).Rates));
            Report(
                string.Create(CultureInfo.InvariantCulture, $"peers.{size}.{inFlight}.ratio"),
                "ratio",
                [.. Enumerable.Range(0, Rounds).Select(round => ratios.Min(one => one[round]))],
                inFlight == Busy && size <= 4096 ? 4 : null,
                isAtLeast: true);
            if (inFlight == 1)
            {
                var medians = peers.ConvertAll(peer => Divide(Find(peer.Counterpart(EchoRole.Ours)).P50, Find(peer).P50));
                Report(string.Create(CultureInfo.InvariantCulture, $"peers.{size}.1.p50.ratio"), "ratio", [.. Enumerable.Range(0, Rounds).Select(round => medians.Max(one => one[round]))], 1);
            }

            var (ours, floor) = (Find(peers[0].Counterpart(EchoRole.Ours)), Find(peers[0].Counterpart(EchoRole.Floor)));
            Report(
                string.Create(CultureInfo.InvariantCulture, $"peers.{size}.{inFlight}.floor.ratio"),
                "ratio",
                Divide(ours.Rates, floor.Rates),
                (size, inFlight) is (16, 255) or (200, Busy) ? 0.9 : null,
                isAtLeast: true);
            Report(
                string.Create(CultureInfo.InvariantCulture, $"peers.{size}.{inFlight}.floor.processor.ratio"),
                "ratio",
                Divide(ours.Processor, floor.Processor),
                (size, inFlight) is (16, 255) or (200, Busy) ? 1.1 : null);
            if ((size, inFlight) is not ((200, 1) or (200 or 4096, Busy))) // the rows of the plot
                continue;
            foreach (var peer in peers)
            {
                var theirs = Find(peer).Rates;
                AddPeer(
                    string.Create(CultureInfo.InvariantCulture, $"requests of {size} B over {Phrase(peer.Transport)}, {(inFlight == 1 ? "one at a time" : $"{inFlight} in flight")}"),
                    peer.Name,
                    "messages/s",
                    theirs,
                    Find(peer.Counterpart(EchoRole.Ours)).Rates,
                    Divide(Find(peer.Counterpart(EchoRole.Ours)).Rates, theirs));
            }

            PeerCell Find(EchoLibrary library) => _cells.Single(cell => cell.Library == library && cell.Size == size && cell.InFlight == inFlight);
        }
    }

    private void ReportSerializers()
    {
        var table = new Table("", "B", "write ns", "read ns");
        foreach (var result in Serializers)
            table.Add(result.Name, Number(result.Size), Number(Figure.Of("", "", result.Writes).Value), Number(Figure.Of("", "", result.Reads).Value));
        table.Print("a player with eight items, tags and scores");

        var ours = Serializers[0];
        var theirs = Serializers.Skip(1).ToList();
        Report("record.size.ratio", "ratio", [(double)ours.Size / theirs.Min(static other => other.Size)], 1);
        foreach (var other in theirs)
        {
            AddPeer("write a record with nested records", other.Name, "ns", other.Writes, ours.Writes, Divide(ours.Writes, other.Writes));
            AddPeer("read a record with nested records", other.Name, "ns", other.Reads, ours.Reads, Divide(ours.Reads, other.Reads));
        }

        var memoryPack = theirs.Single(static other => other.Name == RecordSerializers.MemoryPack);
        Report("record.read.memorypack.ratio", "ratio", Divide(ours.Reads, memoryPack.Reads), 1);
    }

    private static string Number(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    private static string Phrase(string transport) => transport == "TCP" ? transport : $"a {transport}";

    private static List<double> Divide(List<double> left, List<double> right) => [.. left.Zip(right, static (one, other) => one / other)];
}
