using System;

namespace Reloaded.Messaging;

/// <summary>The sizes of datagrams. Immutable. Both sides need the same sizes.</summary>
public sealed class UdpOptions
{
    /// <summary>The minimum of <see cref="MaxDatagramSize"/>, in bytes. The longest fault fits.</summary>
    internal const int MinDatagramSize = 1100;

    /// <summary>The maximum payload of an IPv4 datagram, in bytes.</summary>
    internal const int MostDatagramSize = 65_507;

    /// <summary>The options of a host without explicit options.</summary>
    public static UdpOptions Default { get; } = new();

    /// <summary>The maximum size of a datagram, in bytes, without the headers of IP and UDP (1100–65507; default: 1200). Common network paths carry the default size without fragmentation.</summary>
    public int MaxDatagramSize { get; init => field = Guard.Between(MinDatagramSize, MostDatagramSize, value); } = 1200;

    /// <summary>The maximum number of datagrams into which a message may be divided (1–255; default: 1, which disables division). If one of the datagrams is lost, the message is lost.</summary>
    /// <remarks>For each peer, at most four incomplete messages are held, for one second each.</remarks>
    public int MaxFragments { get; init => field = Guard.Between(1, byte.MaxValue, value); } = 1;

    /// <summary>The size of the receive buffer, in bytes. It is large enough for a remote side with moderately larger options.</summary>
    internal int BufferSize => Math.Max(MaxDatagramSize, 2048);
}
