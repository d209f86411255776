using System;

namespace Reloaded.Messaging;

/// <summary>The options of UDP. Immutable. Both sides need the same values.</summary>
public sealed class UdpOptions
{
    /// <summary>The options of a host without explicit options.</summary>
    public static UdpOptions Default { get; } = new();

    /// <summary>The maximum size of a datagram, in bytes, without the headers of IP and UDP, as in QUIC: every path of IPv6 carries it without fragmentation.</summary>
    internal int MaxDatagramSize { get; init; } = 1200;

    /// <summary>The maximum number of datagrams into which a message may be divided (1–255; default: 1, which disables division). If one of the datagrams is lost, the message is lost.</summary>
    /// <remarks>For each peer, at most four incomplete messages are held, for one second each.</remarks>
    public int MaxFragments { get; init => field = Guard.Between(1, byte.MaxValue, value); } = 1;

    /// <summary>The size of the receive buffer, in bytes. A larger datagram of another implementation fits.</summary>
    internal int BufferSize => Math.Max(MaxDatagramSize, 2048);
}
