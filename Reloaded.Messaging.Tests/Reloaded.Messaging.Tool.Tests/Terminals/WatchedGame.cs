using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tool;

namespace Reloaded.Messaging.Tests.Terminals;

/// <summary>A game with peers, as the tool inspects it each second, and the screen of the tool.</summary>
internal sealed class WatchedGame
{
    private readonly RateHistory _history = new();
    private HostInspection _before;

    public WatchedGame(int peers, bool isUdp = false, string process = "Game")
    {
        _before = Inspect(process, peers, isUdp, second: 0);
        for (var second = 1; second <= 40; second++)
        {
            var now = Inspect(process, peers, isUdp, second);
            Add(now);
        }
    }

    /// <summary>Adds an inspection to a game of one's own.</summary>
    public WatchedGame(HostInspection before, HostInspection now)
    {
        _before = before;
        Add(now);
    }

    public WatchView View { get; } = new();

    public WatchedRates Rates { get; private set; } = null!;

    public string? Note { get; set; }

    /// <summary>Presses keys, each after a frame.</summary>
    public WatchedGame Press(params ConsoleKey[] keys)
    {
        foreach (var key in keys)
        {
            Show(80, 24);
            View.Press(TestTerminal.Key(key));
        }

        return this;
    }

    /// <summary>Returns the lines of a terminal. It has shown another frame before, of which nothing must be left.</summary>
    public TerminalEmulator Show(int width, int height, bool isUnicode = true)
    {
        var terminal = new TerminalEmulator(width, height);
        terminal.Write("\u001b[?7l"); // as FullScreen does
        var other = new ScreenFrame(width, height, isUnicode: false);
        while (other.Left > 0)
            other.Add(new string('@', width));
        terminal.Write(other.Draw(hasColors: false));
        var frame = new ScreenFrame(width, height, isUnicode);
        new WatchScreen(frame, Rates, _history, View).Draw(Note);
        terminal.Write(frame.Draw(hasColors: true));
        return terminal;
    }

    private void Add(HostInspection now)
    {
        Rates = new WatchedRates(_before, now);
        _history.Add(Rates);
        _before = now;
    }

    private static HostInspection Inspect(string process, int peers, bool isUdp, int second)
    {
        var all = Enumerable.Range(1, peers).Select(id => InspectPeer(id, isUdp, second)).ToList();
        all.Add(new InspectedPeer { Id = 4_294_901_776, Name = "tcp://127.0.0.1:57242", IsInspector = true, Received = second, ReceivedBytes = second * 8, Sent = second, SentBytes = second * 9000, RoundTripTime = TimeSpan.FromMilliseconds(0.42) });
        List<InspectedType> types =
        [
            new() { Type = 0xFFFF0010, Name = "Reloaded.Messaging.Hosting.InspectHost", Received = second, ReceivedBytes = second * 8 },
            new() { Type = 0xFFFF0011, Name = "Reloaded.Messaging.Hosting.HostInspection", Sent = second, SentBytes = second * 9000 },
        ];
        string[] names = ["Game.Move", "Game.World.Snapshot", "", "Game.Inventory.ItemsOfTheWorkshopThatWereChangedByAnotherPlayer", "Game.Say"];
        for (var i = 0; i < 25; i++)
            types.Add(new InspectedType { Type = (uint)(i + 3), Name = i < names.Length ? names[i] : $"Game.Rare.Event{i}", Received = second * 1000L / (i + 1), ReceivedBytes = second * 24_000L / (i + 1), Sent = i == 0 ? second * peers * 20L : i, SentBytes = i });
        return new HostInspection
        {
            Process = process,
            ProcessId = 4711,
            Runtime = ".NET 10.0.1",
            Uptime = TimeSpan.FromSeconds(751 + second),
            CountedFor = TimeSpan.FromSeconds(second),
            PeerCount = all.Count,
            Peers = all,
            Types = types,
            Queued = 3,
            Counters = new() { ["HandlerFailures"] = 3, ["LostFrames"] = 12, ["UnhandledMessages"] = 1, ["RequestsTimedOut"] = 1234, ["LateReplies"] = 2 },
        };
    }

    private static InspectedPeer InspectPeer(int id, bool isUdp, int second)
    {
        var rate = id * 37 % 100 * 4;
        var wave = Enumerable.Range(1, second).Sum(time => (long)(rate * (1 + Math.Sin(time / 4.0 + id)) / 2));
        return new InspectedPeer
        {
            Id = id,
            Name = id switch
            {
                3 => "",
                7 => "unix:///run/user/1000/reloaded-messaging/a-very-long-name-of-a-socket-in-a-deep-folder.sock",
                11 => "重力ゲームクライアント・テスト版 第二号機",
                19 => "peer 👩‍👩‍👧‍👦 of the family, with a long name",
                27 => "لاعب من القاهرة",
                _ => $"{(isUdp ? "udp" : "tcp")}://203.0.113.{id}:{50_000 + id}",
            },
            Received = wave,
            ReceivedBytes = wave * 24,
            Sent = second * 20,
            SentBytes = second * 20 * 120,
            RoundTripTime = TimeSpan.FromMilliseconds(20 + (id * 7 % 50)),
            PendingBytes = id % 10 == 0 ? id * 1000 : 0,
            CongestionWindow = isUdp ? 12_000 : 0,
            Jitter = isUdp ? TimeSpan.FromMilliseconds(1.5) : default,
            ReceivedLossShare = isUdp ? id / 1000.0 : 0,
            SentLossShare = isUdp ? 0.25 : 0,
        };
    }
}
