using System.Net;

namespace Reloaded.Messaging;

/// <summary>Names the machine or network behind an address. Limits and lock-outs that are per address count by this name.</summary>
/// <remarks>
/// An IPv4 address is a group. An IPv6 network of 64 bits is a group, because a provider assigns at least that many addresses to one customer. Thread-safe.
/// </remarks>
internal static class AddressGroup
{
    /// <summary>The bytes of an IPv6 address that name its group.</summary>
    public const int PrefixBytes = 8;

    /// <summary>Returns the group of a remote address, or <see langword="null"/> if the address is this machine's or is not an IP address.</summary>
    /// <param name="remote">The remote address. The port is ignored.</param>
    public static string? Of(EndPoint? remote) => remote is IPEndPoint { Address: var address } ? Of(address) : null;

    /// <summary>Returns the group of an address, or <see langword="null"/> if the address is a loopback address.</summary>
    /// <param name="address">The address. An IPv4 address that is mapped to IPv6 counts as the IPv4 address.</param>
    public static string? Of(IPAddress address)
    {
        if (address.IsIPv4MappedToIPv6)
            address = address.MapToIPv4();
        if (IPAddress.IsLoopback(address))
            return null; // all programs of this machine share the loopback address: one program could lock out the others
        var bytes = address.GetAddressBytes();
        if (bytes.Length <= PrefixBytes)
            return address.ToString();
        bytes.AsSpan(PrefixBytes).Clear();
        return $"{new IPAddress(bytes)}/64";
    }
}
