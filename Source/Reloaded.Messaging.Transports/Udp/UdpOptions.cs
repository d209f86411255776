namespace Reloaded.Messaging;

/// <summary>The sizes of datagrams. Both sides need the same values.</summary>
internal sealed class UdpOptions
{
    /// <summary>The sizes of an endpoint without a number of fragments.</summary>
    public static UdpOptions Default { get; } = new();

    /// <summary>The maximum size of a datagram, in bytes, without the headers of IP and UDP, as in QUIC: every path of IPv6 carries it without fragmentation.</summary>
    public int MaxDatagramSize { get; init; } = 1200;

    /// <summary>The maximum number of datagrams into which a message may be divided. For each peer, at most four incomplete messages are held, for one second each.</summary>
    public int MaxFragments { get; init; } = 1;

    /// <summary>The size of the receive buffer, in bytes. A larger datagram of another implementation fits.</summary>
    public int BufferSize => Math.Max(MaxDatagramSize, 2048);
}
