namespace Reloaded.Messaging.Games;

/// <summary>A network path that delays, loses and slows down datagrams or the bytes of TCP on purpose, for development and tests.</summary>
/// <remarks>
/// <para><see cref="NetworkPathExtensions.WithPath"/> puts the path before an endpoint. The path carries the traffic of all hosts of such endpoints, and each client has its own queue in each direction. Bytes of TCP keep their order, and none is lost. When the host is disposed, its traffic on the path leaves it at once.</para>
/// <para>Thread-safe. A changed property affects what enters the path afterwards.</para>
/// </remarks>
/// <example><code>
/// var path = new NetworkPath { Delay = TimeSpan.FromMilliseconds(40), Loss = 0.02 };
/// await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(9050));
/// await using var client = await MessageHost.ConnectAsync(server.Endpoint.WithPath(path));
/// Console.WriteLine($"{path.Lost} of {path.Passed + path.Lost} datagrams were lost.");
/// </code></example>
public sealed class NetworkPath
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(10);

    private long _passed;
    private long _lost;

    /// <summary>The time that a datagram, or a byte of TCP, takes in each direction (0–10 s; default: 0 s). A round trip takes twice as long.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is out of range.</exception>
    public TimeSpan Delay { get; set => field = Guard.Between(TimeSpan.Zero, s_longest, value); }

    /// <summary>The longest time by which a datagram takes longer than <see cref="Delay"/>, chosen at random for each datagram or piece of a stream (0–10 s; default: 0 s). Datagrams then overtake others.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is out of range.</exception>
    public TimeSpan Jitter { get; set => field = Guard.Between(TimeSpan.Zero, s_longest, value); }

    /// <summary>The share of datagrams that are lost in each direction (0–1; default: 0). It does not affect TCP.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is out of range.</exception>
    public double Loss { get; set => field = Guard.Between(0, 1, value); }

    /// <summary>The bytes that pass in a second, for each client in each direction; 0 for no limit (default: 0). A datagram that would wait for longer than 200 ms is lost; the sender of a stream waits.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is negative.</exception>
    public int BytesPerSecond { get; set => field = Guard.AtLeast(0, value); }

    /// <summary>Whether a server that other machines can reach may listen with this path in a release build (default: <see langword="false"/>). The addresses of players are then hidden from bans and from limits per address.</summary>
    public bool AllowRemoteClients { get; init; }

    /// <summary>The number of datagrams, and of pieces of a stream of up to 16 KiB, that have left the path, in both directions.</summary>
    public long Passed => Interlocked.Read(ref _passed);

    /// <summary>The number of datagrams that were lost, in both directions: by <see cref="Loss"/>, because of <see cref="BytesPerSecond"/>, because more than 64 MiB or 1,024 clients of a server were on the path, or because the system did not send them.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    internal void CountPassed() => Interlocked.Increment(ref _passed);

    internal void CountLost() => Interlocked.Increment(ref _lost);
}
