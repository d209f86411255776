using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Dashboard;

/// <summary>A game with two servers: one for its mods, in this process, and one for pages, over WebSocket. The game loop pumps both.</summary>
public sealed class Game : IAsyncDisposable
{
    private static readonly TimeSpan s_frame = TimeSpan.FromMilliseconds(10);

    private readonly MessageServer _modServer;
    private readonly Slot[] _slots;
    private readonly RateWindow _received = new();
    private long _frame;

    private Game(MessageServer modServer, Slot[] slots)
    {
        _modServer = modServer;
        _slots = slots;
        Pages = null!;
    }

    /// <summary>The server for pages.</summary>
    public MessageServer Pages { get; private set; }

    /// <summary>Starts the servers and the mods.</summary>
    /// <param name="endpoint">Where pages connect.</param>
    /// <param name="token">The token that pages need.</param>
    /// <param name="mods">The mods.</param>
    public static async Task<Game> StartAsync(MessageEndpoint endpoint, byte[] token, IEnumerable<Mod> mods)
    {
        var slots = mods.Select(static mod => new Slot(mod)).ToArray();
        Game? game = null;
        var inside = MessageEndpoint.InProcess("mods");
        var modServer = await MessageHost.ListenAsync(inside, host => host.On((in ModEvent one, Peer from) => game!.Count(one, from)), new MessageHostOptions { IsPumped = true });
        game = new Game(modServer, slots);
        game.Pages = await MessageHost.ListenAsync(
            endpoint,
            host =>
            {
                host.OnRequest((ListMods _) => new ModList(game.ListMods()));
                host.OnRequest((in SetMod set, Peer from) => game.Set(set, from));
            },
            new MessageHostOptions { Token = token, IsPumped = true });
        foreach (var slot in slots)
            await slot.Mod.StartAsync(inside);
        return game;
    }

    /// <summary>Runs frames until the token is canceled. A frame handles the messages that have arrived; every 25th frame tells the pages the state of the game.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(s_frame);
        try
        {
            while (await timer.WaitForNextTickAsync(cancellationToken))
            {
                _modServer.Pump();
                Pages.Pump();
                if (++_frame % 25 == 0)
                    Tell();
            }
        }
        catch (OperationCanceledException)
        {
            // The program ends.
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var slot in _slots)
            await slot.Mod.DisposeAsync();
        await Pages.DisposeAsync();
        await _modServer.DisposeAsync();
    }

    private void Count(ModEvent one, Peer from)
    {
        var slot = _slots[one.Mod];
        slot.Peer = from;
        slot.Sent.Count++;
        _received.Count++;
    }

    private ModInfo Set(SetMod set, Peer from)
    {
        if (set.Id < 0 || set.Id >= _slots.Length)
            throw new RequestFaultException(1000, $"There is no mod {set.Id}; the game has the mods 0 to {_slots.Length - 1}.");
        var slot = _slots[set.Id];
        if (slot.Peer?.Send(new Run(set.Runs)) != SendStatus.Sent)
            throw new RequestFaultException(1001, $"The mod {slot.Mod.Name} is not connected yet. Try again.");
        slot.Runs = set.Runs;
        Console.WriteLine($"{(set.Runs ? "resumed" : "suspended")}: {slot.Mod.Name}, by {from.RemoteName}");
        return slot.Describe();
    }

    private List<ModInfo> ListMods() => [.. _slots.Select(static slot => slot.Describe())];

    private void Tell()
    {
        var now = Environment.TickCount64;
        foreach (var slot in _slots)
            slot.Sent.Note(now);
        _received.Note(now);
        var peers = _slots.Where(static slot => slot.Peer is not null).Select(static slot => Describe(slot.Mod.Name, slot.Peer!))
            .Concat(Pages.Peers.OrderBy(static peer => peer.Id).Select(static peer => Describe("page", peer)));
        Pages.AllPeers.Broadcast(new GameStatus(_frame, _received.PerSecond, ListMods(), [.. peers])); // a page that reads slowly gets a later one
    }

    private static PeerInfo Describe(string name, Peer peer) => new(name, peer.RemoteName, peer.GetStatistics().RoundTripTime.TotalMilliseconds);
}
