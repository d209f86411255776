using System.Net;
using System.Net.Sockets;

namespace Reloaded.Messaging.Simulation;

/// <summary>The network of the world: ports, delays, and the faults of the moment. All processes share the address 127.0.0.1.</summary>
public static class Network
{
    private const long MinLateness = 20 * TimeSpan.TicksPerMillisecond;

    private static readonly Dictionary<(SocketType, int), SimulatedSocket> s_bound = [];
    private static readonly HashSet<SimulatedSocket> s_open = [];
    private static readonly Dictionary<SimulatedProcess, long> s_busyUntil = [];
    private static TaskCompletionSource s_nextAccepted = new();
    private static long s_healsAt;
    private static int s_lastPort;
    private static int s_lastId;

    /// <summary>The shortest delay of a byte, in ticks of 100 ns.</summary>
    public static long MinDelay { get; set; }

    /// <summary>The largest random addition to a delay, in ticks of 100 ns.</summary>
    public static long Jitter { get; set; }

    /// <summary>The share of datagrams that are lost (0–1).</summary>
    public static double Loss { get; set; }

    /// <summary>The share of datagrams that arrive twice (0–1).</summary>
    public static double Duplication { get; set; }

    /// <summary>The share of datagrams that arrive much later than the others (0–1). Their sender has given them up, and has sent their content again.</summary>
    public static double Lateness { get; set; }

    /// <summary>The bytes a second that carry the datagrams of a process; 0 for no limit.</summary>
    public static int Rate { get; private set; }

    /// <summary>The bytes of datagrams that wait for <see cref="Rate"/>. Further datagrams are lost.</summary>
    public static int Queue { get; private set; }

    /// <summary>The bytes of datagrams that programs have sent, also of those that are lost.</summary>
    public static long EnteredBytes { get; private set; }

    /// <summary>Whether no byte and no datagram arrives. Bytes of streams arrive when the partition ends; datagrams are lost.</summary>
    public static bool IsPartitioned => HeldTime > 0;

    /// <summary>The bytes that a socket of a stream takes before its sender waits.</summary>
    public static int Room { get; set; }

    /// <summary>Whether some bytes of a stream arrive in pieces of at most 7 bytes.</summary>
    public static bool HasTinyPieces { get; set; }

    /// <summary>The maximum size of a piece in which the other bytes of a stream arrive.</summary>
    public static int MaxPiece { get; set; }

    /// <summary>Whether a reset discards the bytes that have arrived and were not read, as on Windows.</summary>
    public static bool ResetsDiscard { get; set; }

    /// <summary>The bytes that a system took from a program and that no program has read.</summary>
    public static long UnreadBytes { get; set; }

    /// <summary>The bytes that had arrived when a program closed its socket without naming a reason.</summary>
    public static long AbandonedBytes { get; set; }

    /// <summary>Completes when the next stream is accepted.</summary>
    public static Task NextAccepted => s_nextAccepted.Task;

    /// <summary>The time until a partition ends, in ticks of 100 ns: a stream repeats its bytes until then. Zero for no partition.</summary>
    internal static long HeldTime => Math.Max(0, s_healsAt - World.Now);

    /// <summary>Chooses a network by the seed.</summary>
    public static void Reset()
    {
        s_bound.Clear();
        s_open.Clear();
        s_busyUntil.Clear();
        s_nextAccepted = new TaskCompletionSource();
        (s_lastPort, s_lastId) = (49152, 0);
        (s_healsAt, UnreadBytes, AbandonedBytes) = (0, 0, 0);
        var random = World.Random;
        MinDelay = random.Next(4) switch { 0 => 10, 1 => 1_000, 2 => 10_000, _ => 200_000 };
        Jitter = random.Chance(0.3) ? 0 : 1 + (MinDelay * random.Next(1, 5));
        Loss = 0;
        (Duplication, Lateness, Rate, EnteredBytes) = (0, 0, 0, 0);
        Room = random.Next(3) switch { 0 => 4 * 1024, 1 => 64 * 1024, _ => 256 * 1024 };
        (HasTinyPieces, MaxPiece) = random.Next(4) switch { 0 => (true, 1_400), 1 => (false, 1_400), _ => (false, 1 << 20) };
        ResetsDiscard = random.Chance(0.5);
    }

    /// <summary>Changes what the path carries. The datagrams that wait for the old rate arrive as before.</summary>
    public static void SetRate(int rate, int queue)
    {
        (Rate, Queue) = (rate, queue);
        s_busyUntil.Clear();
        World.Note($"network: carries {rate} bytes a second, with a queue of {queue}");
    }

    /// <summary>Stops all traffic for a time.</summary>
    /// <param name="milliseconds">The time.</param>
    public static void Partition(double milliseconds)
    {
        s_healsAt = World.Now + (long)(milliseconds * TimeSpan.TicksPerMillisecond);
        World.Note($"network: partitioned for {milliseconds:0} ms");
        World.After(HeldTime, null, static () =>
        {
            if (!IsPartitioned) // no later partition
                World.Note("network: healed");
        });
    }

    /// <summary>Resets a stream between two sides, if one is open.</summary>
    public static void ResetOne()
    {
        var streams = new List<SimulatedSocket>();
        foreach (var socket in s_open)
        {
            if (socket.IsStream)
                streams.Add(socket);
        }

        if (streams.Count == 0)
            return;
        streams.Sort(static (a, b) => a.Id.CompareTo(b.Id));
        var chosen = streams[World.Random.Next(streams.Count)];
        World.Note($"network: resets {chosen}");
        chosen.ResetByNetwork();
    }

    /// <summary>Gives each client over UDP another port, as a router does that has forgotten the old ones. Datagrams to an old port are lost.</summary>
    public static void RebindAll()
    {
        var clients = new List<SimulatedSocket>();
        foreach (var socket in s_open)
        {
            if (socket.IsClientOfDatagrams)
                clients.Add(socket);
        }

        clients.Sort(static (a, b) => a.Id.CompareTo(b.Id));
        foreach (var client in clients)
        {
            s_bound.Remove((SocketType.Dgram, client.LocalPort));
            client.Rebind(NextPort());
            s_bound.Add((SocketType.Dgram, client.LocalPort), client);
        }

        World.Note($"network: {clients.Count} clients have another port");
    }

    /// <summary>The time that bytes need now, in ticks of 100 ns.</summary>
    internal static long Delay() => MinDelay + (Jitter > 0 ? World.Random.Next((int)Jitter) : 0);

    /// <summary>Sends a datagram into the path, which may be slow, lose it, double it or deliver it late.</summary>
    /// <param name="process">The process that sends.</param>
    /// <param name="size">The size of the datagram.</param>
    /// <param name="arrive">Called when a copy of the datagram arrives.</param>
    internal static void Carry(SimulatedProcess process, int size, Action arrive)
    {
        const int Headers = 28; // of IPv4 and UDP
        EnteredBytes += size + Headers;
        var wait = 0L;
        if (Rate > 0)
        {
            wait = Math.Max(0, s_busyUntil.GetValueOrDefault(process) - World.Now);
            if (wait * Rate / TimeSpan.TicksPerSecond + size + Headers > Queue)
                return;
            wait += (size + Headers) * TimeSpan.TicksPerSecond / Rate;
            s_busyUntil[process] = World.Now + wait;
        }

        if (World.Random.Chance(Loss))
            return;
        var count = World.Random.Chance(Duplication) ? 2 : 1;
        for (var i = 0; i < count; i++)
            World.After(wait + Delay() + (Lateness > 0 && World.Random.Chance(Lateness) ? World.Random.Next((int)(4 * (MinDelay + Jitter + MinLateness))) : 0), null, arrive);
    }

    /// <summary>The maximum size of the next piece of a stream. Of each 32 KiB, 4 KiB are in tiny pieces, because more of them would only make the world slow.</summary>
    /// <param name="sent">The bytes of the stream so far.</param>
    internal static int MaxPieceAt(long sent) => HasTinyPieces && sent % 32_768 < 4_096 ? 7 : MaxPiece;

    internal static int NextId() => ++s_lastId;

    internal static void Accepted()
    {
        var accepted = s_nextAccepted;
        s_nextAccepted = new TaskCompletionSource();
        accepted.SetResult();
    }

    internal static void Opened(SimulatedSocket socket) => s_open.Add(socket);

    internal static void Closed(SimulatedSocket socket)
    {
        s_open.Remove(socket);
        if (socket.LocalPort > 0 && s_bound.TryGetValue((socket.Kind, socket.LocalPort), out var bound) && bound == socket)
            s_bound.Remove((socket.Kind, socket.LocalPort));
    }

    internal static int Bind(SimulatedSocket socket, int port)
    {
        if (port == 0)
            port = ++s_lastPort;
        if (!s_bound.TryAdd((socket.Kind, port), socket))
            throw new SocketException((int)SocketError.AddressAlreadyInUse);
        return port;
    }

    internal static int NextPort() => ++s_lastPort;

    internal static SimulatedSocket? Find(SocketType kind, EndPoint remote) => s_bound.GetValueOrDefault((kind, ((IPEndPoint)remote).Port));

    /// <summary>Closes the sockets of a process that died.</summary>
    internal static void CloseAll(SimulatedProcess process, bool isSilent)
    {
        var own = new List<SimulatedSocket>();
        foreach (var socket in s_open)
        {
            if (socket.Process == process)
                own.Add(socket);
        }

        own.Sort(static (a, b) => a.Id.CompareTo(b.Id));
        foreach (var socket in own)
            socket.CloseByDeath(isSilent);
    }
}
