using System.Diagnostics.CodeAnalysis;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>The mods of a program. They register handlers while peers are connected, remove them, and change the layout of a message under its id.</summary>
/// <param name="participant">The program.</param>
internal sealed class Mods(Participant participant)
{
    private const uint FirstEvent = 30;
    private const uint Events = 3;
    private const uint Request = 33;
    private const uint Reply = 34;
    private const uint Stream = 35;
    private const uint Item = 36;
    private const uint Collect = 37;
    private const uint Sent = 38;
    private const uint Work = 39;
    private const uint Worked = 40;

    // Kept, because a host has weak references, and the collector would not run at the same time in each run of a seed.
    private static readonly Dictionary<(uint Type, char Layout, int Instance), MessageContract<Modded>> s_contracts = [];

    private readonly Dictionary<uint, HandlerRegistration> _loaded = [];
    private char _layout = 'A';
    private int _instance;

    /// <summary>Sets the delivery of the events. With another delivery over UDP, the layout of an event must not change during a connection.</summary>
    public static void Configure(MessageHost host)
    {
        for (var type = FirstEvent; type < FirstEvent + Events; type++)
            host.Deliver(Get(type, 'A', 0), DeliveryMode.ReliableOrdered);
    }

    /// <summary>Loads, unloads and uses mods at random moments. At the end, the messages have the layout that they have in all programs then, so that a refused client can connect.</summary>
    /// <param name="isUdp">Whether the hosts have no streams.</param>
    public async Task RunAsync(bool isUdp)
    {
        var random = World.Random;
        for (var left = 5 + random.Next(60); left > 0 && !participant.IsDisposed; left--)
        {
            switch (random.Next(12))
            {
                case < 3:
                    Load(PickType(isUdp));
                    break;
                case 3:
                    Unload(PickType(isUdp));
                    break;
                case 4:
                    Reload(random.Chance(0.4) ? (char)('A' + random.Next(2)) : _layout);
                    break;
                case 5 when random.Chance(0.3):
                    participant.Host!.AnnounceContract(GetCurrent(PickType(isUdp)));
                    break;
                case 6:
                    _ = AskAsync();
                    break;
                case 7 when !isUdp:
                    _ = random.Next(3) switch { 0 => SendItemsAsync(), 1 => WorkAsync(), _ => ReadStreamAsync() };
                    break;
                case < 10:
                    Send(GetCurrent(FirstEvent + (uint)random.Next((int)Events)), 1 + random.Next(30));
                    break;
                default:
                    await World.DelayAsync(random.Next(random.Chance(0.1) ? 2000 : 100)).ConfigureAwait(false);
                    break;
            }
        }

        if (participant.IsDisposed)
            return;
        Reload('A');
        foreach (var type in (uint[])[FirstEvent, FirstEvent + 1, FirstEvent + 2, Request, .. isUdp ? (uint[])[] : [Stream, Collect, Work]])
            Load(type); // a host also announces the contract of a removed handler
    }

    private static uint PickType(bool isUdp) => World.Random.Next(isUdp ? 4 : 7) switch
    {
        3 => Request,
        4 => Stream,
        5 => Collect,
        6 => Work,
        var type => FirstEvent + (uint)type,
    };

    private static MessageContract<Modded> Get(uint type, char layout, int instance)
    {
        if (!s_contracts.TryGetValue((type, layout, instance), out var contract))
            s_contracts.Add((type, layout, instance), contract = new MessageContract<Modded>(type, new Serializer(layout)));
        return contract;
    }

    private MessageContract<Modded> GetCurrent(uint type) => Get(type, _layout, _instance);

    private void Load(uint type)
    {
        if (_loaded.ContainsKey(type))
            return;
        World.Note($"loads {type} with layout {_layout}");
        var host = participant.Host!;
        _loaded[type] = type switch
        {
            Request => host.OnRequest(GetCurrent(Request), GetCurrent(Reply), (in Modded asked, Peer _) =>
            {
                participant.CheckOpen("a handler of a mod");
                return asked;
            }),
            Stream => host.OnStream(GetCurrent(Stream), GetCurrent(Item), (asked, _, _) => CountAsync()),
            Collect => host.OnRequest(GetCurrent(Collect), GetCurrent(Sent), GetCurrent(Reply), async (Modded asked, IAsyncEnumerable<Modded> items, Peer _, CancellationToken _) =>
            {
                try
                {
                    await foreach (var item in items.ConfigureAwait(false))
                        World.Note($"sent item {item.Number} of a mod");
                }
                catch (RequestFailedException e)
                {
                    World.Note($"items of a mod are refused: {e.Message}"); // the sender has another layout
                }

                return asked;
            }),
            Work => host.OnRequest(GetCurrent(Work), GetCurrent(Worked), GetCurrent(Reply), async (Modded asked, IProgress<Modded> progress, Peer _, CancellationToken _) =>
            {
                for (var i = 0; i < 5; i++)
                {
                    progress.Report(new Modded(i));
                    await World.DelayAsync(World.Random.Next(20)).ConfigureAwait(false);
                }

                return asked;
            }),
            _ => host.On(GetCurrent(type), (in Modded _, Peer _) => participant.CheckOpen("a handler of a mod")),
        };
    }

    private void Unload(uint type)
    {
        if (!_loaded.Remove(type, out var registration))
            return;
        World.Note($"unloads {type}");
        registration.Dispose();
    }

    /// <summary>Unloads all mods, and loads them with another layout, or with the same one in other objects.</summary>
    private void Reload(char layout)
    {
        var types = _loaded.Keys.ToList();
        foreach (var type in types)
            Unload(type);
        _layout = layout;
        _instance = World.Random.Next(3);
        foreach (var type in types)
            Load(type);
    }

    private void Send(MessageContract<Modded> contract, int count)
    {
        World.Note($"sends {count} events {contract.Type} with layout {_layout}");
        var peers = participant.Host is MessageClient client ? [client.Server] : participant.Host!.Peers;
        for (var i = 0; i < count; i++)
        {
            foreach (var peer in peers)
                peer.Send(contract, new Modded(i));
        }
    }

    private async Task AskAsync()
    {
        var timeout = TimeSpan.FromSeconds(World.Random.Next(10) + 1);
        var asked = new Modded(World.Random.Next(1000));
        var peer = participant.Host is MessageClient ? null : participant.Host!.Peers.FirstOrDefault();
        if (peer is null && participant.Host is not MessageClient)
            return;
        var (request, reply) = (GetCurrent(Request), GetCurrent(Reply));
        var result = peer is null
            ? await participant.Client.TryRequestAsync(request, reply, asked, timeout).ConfigureAwait(false)
            : await peer.TryRequestAsync(request, reply, asked, timeout).ConfigureAwait(false);
        World.Note($"request of a mod ended as {result.Status}");
        Law.Require(result.Status != RequestStatus.Replied || result.Reply.Number == asked.Number, LawNames.Reply, $"Request {asked.Number} of a mod has the reply {result.Reply.Number}.");
    }

    private async Task ReadStreamAsync()
    {
        if ((participant.Host as MessageClient)?.Server is not { } server)
            return;
        try
        {
            await foreach (var item in server.StreamAsync(GetCurrent(Stream), GetCurrent(Item), new Modded(0)).ConfigureAwait(false))
                World.Note($"item {item.Number} of a mod");
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException or TimeoutException)
        {
            World.Note($"stream of a mod ended: {e.Message}");
        }
    }

    private Task SendItemsAsync() => CallAsync((server, asked) => server.RequestAsync(GetCurrent(Collect), GetCurrent(Sent), GetCurrent(Reply), asked, CountAsync()));

    private Task WorkAsync() => CallAsync((server, asked) => server.RequestAsync(GetCurrent(Work), GetCurrent(Worked), GetCurrent(Reply), asked, new Reports(participant)));

    private async Task CallAsync(Func<Peer, Modded, Task<Modded>> call)
    {
        if ((participant.Host as MessageClient)?.Server is not { } server)
            return;
        var asked = new Modded(World.Random.Next(1000));
        try
        {
            var reply = await call(server, asked).ConfigureAwait(false);
            Law.Require(reply == asked, LawNames.Reply, $"Request {asked.Number} of a mod with items or progress has the reply {reply.Number}.");
        }
        catch (Exception e) when (e is RequestFailedException or RequestFaultException)
        {
            World.Note($"request of a mod ended: {e.Message}");
        }
    }

    private async IAsyncEnumerable<Modded> CountAsync()
    {
        for (var i = 0; i < 5; i++)
        {
            participant.CheckOpen("the source of a stream of a mod");
            await World.DelayAsync(World.Random.Next(20)).ConfigureAwait(false);
            yield return new Modded(i);
        }
    }

    /// <summary>The reports of a request of a mod.</summary>
    private sealed class Reports(Participant participant) : IProgress<Modded>
    {
        public void Report(Modded value) => participant.CheckOpen("a report of a mod");
    }

    /// <summary>Writes the name of the layout into each message, and checks it in each message that is read.</summary>
    private sealed class Serializer(char layout) : IMessageSerializer<Modded>
    {
        public string Name { get; } = $"layout {layout}";

        public void Serialize(in Modded value, MessageBuffer buffer)
        {
            buffer.WriteFixed((byte)layout);
            buffer.WriteFixed(value.Number);
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out Modded value)
        {
            var reader = new PayloadReader(payload);
            value = default;
            if (!reader.TryReadFixed(out byte written) || !reader.TryReadFixed(out int number))
                return false;
            Law.Require(written == layout, LawNames.Layout, $"A message that was written by layout {(char)written} is read by layout {layout}.");
            value = new Modded(number);
            return true;
        }
    }
}

/// <summary>A message of a mod, whose layout changes from version to version.</summary>
/// <param name="Number">The number.</param>
internal readonly record struct Modded(int Number);
