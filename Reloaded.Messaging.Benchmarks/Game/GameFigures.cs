using System.Globalization;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Game.Flood;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>Group <c>game</c>: the work of a game server in each tick, as an existing game server did it, compared with the library.</summary>
public sealed class GameFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int Block = 100;

    private readonly MessageWriter _writer = new();

    public override IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["queue.old.ratio"] = "The floor neither packs nor dispatches: it adds objects to a list. It allocates 80 B for each packet, and the collections fall into a part of the rounds.",
        ["queue.old.threads.ratio"] = "The floor neither packs nor dispatches: it adds objects to a list. How often both threads want the same lock at once differs between rounds.",
        ["context.ratio"] = "The floor gets a packet that was read before. Here, the packet is read from its bytes.",
        ["flood.tick.p99.ratio"] = "The abusive players run in the process of the server, and send 15 million messages a second on the same two processors. The server reads the header of each before it drops it.",
    };

    public override string Method => "The floors are not the least code. They are the implementation of an existing game server, by its description (`Game/BaselineGame.cs`); those of `aes` are the same work without encryption. " + Race.Method + " Ticks: 11 rounds. `flood`: 3 pairs of windows of 3.5 s; the 99th percentile of one window is the third longest of 210 ticks. The abusive players run in the process of the server and use the same processors.";

    public override void Measure()
    {
        using (var ours = new LibraryGame())
            MeasureWork(new BaselineGame(), ours);
        foreach (var creatures in (int[])[50, 100, 200])
        {
            Track("idle", creatures, 0, 0.2);
            Track("tenth", creatures, 10, 0.3);
            Track("active", creatures, 1, 0.7);
        }

        var ticks = new TickFigures();
        if (!OnlyAllocations)
            ticks.MeasureTimes((name, unit, rounds, reach) => Report(name, unit, rounds, reach));
        ticks.MeasureLoop((name, unit, rounds, reach) => Report(name, unit, rounds, reach));
        if (OnlyAllocations)
            return;
        var flood = new FloodFigures();
        flood.Measure((name, unit, rounds, reach) => Report(name, unit, rounds, reach));
    }

    private void MeasureWork(BaselineGame old, LibraryGame ours)
    {
        Serialize(ours, "small", MessageContract.GetDeclared<CharacterCreated>(), new CharacterCreated(1));
        Serialize(ours, "medium", MessageContract.GetDeclared<ChatLine>(), new ChatLine(7, 8, "Ada", "Meet me at the mill, and bring the others.", new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)));
        Queue(old, ours);
        Read(old, ours);
        Encrypt(ours);
        Contexts(old, ours);
        foreach (var creatures in (int[])[5, 20])
        {
            var visible = new World(creatures).Creatures;
            Compare(string.Create(CultureInfo.InvariantCulture, $"broadcast.{creatures}"), () => BaselineGame.Broadcast(visible), () => ours.Broadcast(visible), alloc: 0);
        }
    }

    private void Serialize<T>(LibraryGame ours, string size, MessageContract<T> contract, T packet) =>
        Compare($"serialize.{size}", () => BaselineGame.Serialize(contract, packet), () => ours.Serialize(contract, packet), alloc: 0);

    private void Queue(BaselineGame old, LibraryGame ours)
    {
        var packets = new Step[20];
        for (var i = 0; i < packets.Length; i++)
            packets[i] = new Step(i, 2, 3);
        // The floor does not pack and does not dispatch.
        Compare("queue.old", () => old.Queue(packets), () => ours.Queue(packets), ratio: 0.5, alloc: 0);
        if (OnlyAllocations)
            return;

        // The producer is another thread, as in a server. Each call hands over many messages, so that the start of the thread is a small part of the time.
        const int Many = 50_000;
        var race = RunRace("queue.old.threads", Many, () => old.QueueBetweenThreads(Many), () => ours.QueueBetweenThreads(Many), roundMilliseconds: 40);
        ReportRace("queue.old.threads", race, 0.5);
    }

    private void Read(BaselineGame old, LibraryGame ours)
    {
        var contract = MessageContract.GetDeclared<CharacterList>();
        using var packed = _writer.Pack(contract, new CharacterList(3));
        var message = packed.Span.ToArray();
        var payload = message[1..];
        Compare("reader", () => old.Read(payload), () => ours.Read(message), ratio: 0.5);
    }

    /// <summary>The floors are the same packing and reading without encryption.</summary>
    private void Encrypt(LibraryGame ours)
    {
        var (contract, packet) = (MessageContract.GetDeclared<CharacterList>(), new CharacterList(3));
        using var packets = new AesPackets(ours, packet);
        var made = Race.Allocated(1, 100_000, static () => new CharacterList(3).Page);
        Compare("aes.serialize", () => packets.Pack(contract, packet), () => packets.PackAndSeal(contract, packet), alloc: 0);
        Compare("aes.deserialize", packets.Read, packets.OpenAndRead, alloc: 0, made: made);
    }

    /// <summary>The floors get a packet that was read before. The library reads the packet from its bytes.</summary>
    private void Contexts(BaselineGame old, LibraryGame ours)
    {
        var (packet, connection) = (new CharacterList(3), new BaselineGame.Connection());
        using var packed = _writer.Pack(MessageContract.GetDeclared<CharacterList>(), packet);
        var message = packed.Span.ToArray();
        var made = Race.Allocated(1, 100_000, static () => new CharacterList(3).Page);
        Compare(
            "context",
            () =>
            {
                connection.Sum = 0;
                return old.Context(connection, packet, static context => ((BaselineGame.OldContext)context).Connection.Sum += ((BaselineGame.OldContext)context).Packet.Page);
            },
            () => ours.Context(message),
            ratio: 0.25,
            alloc: 0,
            made: made);
        object boxed = new BaselineGame.OldContext { Packet = packet, Connection = connection };
        Compare(
            "handler",
            () =>
            {
                connection.Sum = 0;
                return old.Handle(boxed, CancellationToken.None);
            },
            () => ours.Handle(message),
            ratio: 0.5,
            alloc: 0,
            made: made);
    }

    private void Track(string name, int creatures, int every, double reach)
    {
        // Each side has a separate world: one records its changes, the other is compared with a snapshot.
        // Each side has two clients, as an instance of that server had.
        var (world, old, other) = (new World(creatures), new OldTracking(), new OldTracking());
        var (tracked, ours) = (new World(creatures), new LibraryGame());
        old.Update(world.Creatures);
        other.Update(world.Creatures);
        ours.Track(tracked.Creatures);
        Compare(
            string.Create(CultureInfo.InvariantCulture, $"tracking.{name}.{creatures}"),
            () =>
            {
                world.Change(every);
                return 1 + old.Update(world.Creatures) + other.Update(world.Creatures);
            },
            () =>
            {
                tracked.Change(every);
                return 1 + ours.Track(tracked.Creatures);
            },
            ratio: reach,
            alloc: 0);
        ours.Dispose();
    }

    /// <summary>Times a block of calls of each side, and measures the allocation of one call of each side.</summary>
    private void Compare(string name, Func<long> old, Func<long> ours, double? ratio = null, double? alloc = null, double made = 0)
    {
        var race = RunRace(name, Block, () => Repeat(old), () => Repeat(ours), roundMilliseconds: 15);
        Report($"{name}.ratio", "ratio", race.Ratios, ratio);
        Report($"{name}.floor.ns", "ns", race.Floor);
        Report($"{name}.ns", "ns", race.Measured);
        Report($"{name}.floor.alloc", "B", [Race.Allocated(1, 1000, old)]);
        Report($"{name}.alloc", "B", [Race.Allocated(1, 1000, ours) - made], alloc);
    }

    private static long Repeat(Func<long> way)
    {
        long sum = 0;
        for (var i = 0; i < Block; i++)
            sum += way();
        return sum;
    }
}
