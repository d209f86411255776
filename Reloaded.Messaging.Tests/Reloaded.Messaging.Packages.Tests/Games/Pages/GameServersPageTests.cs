using System.IO;
using System.Linq;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(30)]
public sealed record Login(string Name);

[Message(31)]
public sealed record Chat(string Text);

/// <summary>Compiles and runs the code of docs/game-servers.md.</summary>
public sealed class GameServersPageTests
{
    private static readonly MessageContract<EntityUpdate> s_updates = EntityUpdate.CreateContract(50);

    private static readonly PeerState<Player> s_players = new(peer => new Player { Name = peer.RemoteName, View = new EntityView() });

    private volatile Peer? _loggedIn;

    [Fact]
    public async Task Player_logs_in_chats_and_sees_the_world()
    {
        var (time, accounts) = (new ManualTime(), new Accounts());
        var (world, copies, heard) = (new Dictionary<uint, Creature>(), new Dictionary<uint, Creature>(), new List<string>());
        using var changes = new EntityChanges();
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.AnnounceContract(s_updates);
                server.Deliver(s_updates, DeliveryMode.ReliableByType);
                _ = s_players.On(server, (in Chat chat, ref Player player) => player.Lines++);
                server.OnAuthenticate<Login, Chat>(async (login, from, token) =>
                {
                    if (!await accounts.CheckAsync(login.Name, token))
                        throw new RequestFaultException(1000, "No account has this name.");
                    from.Account = login.Name;
                    s_players.Of(from).Creature = new Creature();
                    return new Chat("Welcome.");
                });
            });
        await using var client = await MessageHost.ConnectAsync(server.Endpoint, client =>
        {
            client.On((in Chat chat, Peer _) => heard.Add(chat.Text));
            client.On(s_updates, (in EntityUpdate update, Peer _) =>
            {
                var reader = update.GetReader();
                while (reader.TryNext(out var id, out var isGone))
                {
                    if (isGone)
                        copies.Remove(id);
                    else if (!reader.TryApply(copies.TryGetValue(id, out var known) ? known : copies[id] = new Creature()))
                        throw new InvalidDataException("The server sent an invalid creature.");
                }
            });
        });
        Assert.Equal("Welcome.", (await client.RequestAsync<Login, Chat>(new Login("Ada")).AsTask().InTime()).Text);
        var peer = await server.Connection().InTime();

        var village = new PeerGroup(server);
        village.Join(peer);
        village.Broadcast(new Chat("The mill is on fire."));
        var near = new Near(center: 10, reach: 5);
        server.AllPeers.Broadcast(new Chat("You hear a bang."), ref near);

        world[7] = new Creature { X = 1, Speed = 10 };
        await using var loop = new TickLoop(Update, new TickLoopOptions { Interval = TimeSpan.FromMilliseconds(50), Host = server, TimeProvider = time });
        loop.Start();
        client.Send(new Chat("Hello."));
        await Signal.UntilAsync(() =>
        {
            time.Advance(TimeSpan.FromMilliseconds(50));
            return s_players.Of(peer).Lines == 1 && copies.TryGetValue(7, out var copy) && copy.X >= 2; // seen whole, and then what changed
        });
        Assert.Equal(["The mill is on fire."], heard);
        Assert.NotEmpty(s_players.Of(peer).Name);

        var gone = Signal.New<string?>();
        client.PeerDisconnected += (lost, _) => gone.TrySetResult(lost.GoodbyeText);
        peer.Ban(TimeSpan.FromHours(1), "You flooded the chat.");
        server.Bans.Add("Mallory", TimeSpan.MaxValue);
        foreach (var ban in server.Bans.GetAll())
            Console.WriteLine(ban);
        Assert.Equal(["Ada", "Mallory"], server.Bans.GetAll().Select(static ban => ban.Name));
        server.Bans.Remove("Mallory");
        Assert.Equal("You flooded the chat.", await gone.Task.InTime());

        void Update(in Tick tick)
        {
            foreach (var creature in world.Values)
                creature.X += creature.Speed * (float)tick.Interval.TotalSeconds;
            changes.Clear();
            foreach (var (id, creature) in world)
                changes.Collect(id, creature);
            foreach (var player in server.AllPeers)
            {
                var view = s_players.Of(player).View;
                view.Begin(changes);
                foreach (var (id, creature) in world)
                    view.See(id, creature);
                if (view.TryEnd(out var update) && player.Send(s_updates, update) is var status and not (SendStatus.Sent or SendStatus.Closed))
                    _ = player.KickAsync($"An update could not be sent to you: {status}.");
            }
        }
    }

    [Fact]
    public async Task Reconnected_player_logs_in_before_other_messages_are_sent()
    {
        var (heard, login) = (0, new Login("Ada"));
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.InProcess(nameof(GameServersPageTests)),
            server =>
            {
                server.On((in Chat _, Peer _) => Interlocked.Increment(ref heard));
                server.OnAuthenticate<Login, Chat>(static async (_, _, _) =>
                {
                    await Task.Yield();
                    return new Chat("Welcome.");
                });
            });
        await using var client = await MessageHost.ConnectAsync(
            server.Endpoint,
            client =>
            {
                client.PeerConnected += server => _ = LogInAsync(server, login);
            },
            new MessageHostOptions { Reconnect = new ReconnectOptions() });

        for (var i = 1; i <= 3; i++)
        {
            var sent = SendStatus.Closed;
            await Signal.UntilAsync(() =>
            {
                if (_loggedIn is { } server)
                    sent = server.Send(new Chat("Hello."));
                return sent == SendStatus.Sent;
            });
            await Signal.UntilAsync(() => Volatile.Read(ref heard) == i);
            await Assert.Single(server.Peers).DisconnectAsync().InTime();
        }

        Assert.Equal(0, server.GetCount(DisconnectReason.NotAuthenticated));
    }

    private async Task LogInAsync(Peer server, Login login)
    {
        if ((await server.TryRequestAsync<Login, Chat>(login)).Status == RequestStatus.Replied)
            _loggedIn = server;
    }

    [Fact]
    public void Page_shows_the_compiled_lines()
    {
        var shown = Page.ReadShown("game-servers.md");

        Assert.InRange(shown.Count, 85, 135);
        Assert.Empty(shown.Except(Page.ReadCode("GameServersPageTests.cs.txt")).Except(Page.ReadCode("PathPageTests.cs.txt")));
    }

    private readonly struct Near(float center, float reach) : IPeerInterest
    {
        public bool Includes(Peer peer) => s_players.Of(peer).Creature is { } creature && Math.Abs(creature.X - center) <= reach;
    }

    private struct Player
    {
        public string Name;
        public int Lines;
        public EntityView View;
        public Creature? Creature;
    }

    private sealed class Accounts
    {
        public async ValueTask<bool> CheckAsync(string name, CancellationToken token)
        {
            await Task.Yield();
            token.ThrowIfCancellationRequested();
            return name == "Ada";
        }
    }

    private sealed class Creature : ITracked
    {
        public float Speed { get; init; }

        public float X
        {
            get;
            set
            {
                if (field.Equals(value))
                    return;
                field = value;
                ChangedFields |= 1;
            }
        }

        public uint AllFields => 1;

        public uint ChangedFields { get; set; }

        public void WriteFields(uint fields, MessageBuffer buffer) => buffer.WriteFixed(X);

        public bool TryReadFields(uint fields, ref PayloadReader reader)
        {
            if (!reader.TryReadFixed(out float x))
                return false;
            X = x;
            ChangedFields = 0;
            return true;
        }
    }
}
