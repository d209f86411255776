using System;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>How large datagrams may be. Immutable. Both sides need the same sizes.</summary>
public sealed class UdpOptions
{
    /// <summary>The smallest that <see cref="MaxDatagramSize"/> may be: the longest fault has room.</summary>
    internal const int MinDatagramSize = 1100;

    /// <summary>What an IPv4 datagram carries at most.</summary>
    internal const int MostDatagramSize = 65_507;

    /// <summary>The options of a host that was given none.</summary>
    public static UdpOptions Default { get; } = new();

    /// <summary>The largest datagram, in bytes, without what IP and UDP put before it: 1100 to 65507, by default 1200, which every path in use carries whole.</summary>
    public int MaxDatagramSize { get; init => field = Between(value, MinDatagramSize, MostDatagramSize); } = 1200;

    /// <summary>Into how many datagrams a message may be divided: 1 to 255, by default 1, which is not at all. When one of them is lost, the message is.</summary>
    /// <remarks>Of each peer at most four divided messages are held that did not arrive whole, for a second.</remarks>
    public int MaxFragments { get; init => field = Between(value, 1, byte.MaxValue); } = 1;

    /// <summary>What to receive into: as much as others may think is right.</summary>
    internal int BufferSize => Math.Max(MaxDatagramSize, 2048);

    private static int Between(int value, int low, int high, [CallerMemberName] string name = "") =>
        value >= low && value <= high ? value : throw new ArgumentOutOfRangeException(name, value, $"{value} is out of range: {name} is {low} to {high}.");
}
