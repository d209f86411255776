using Reloaded.Messaging.Benchmarks.Links;

namespace Reloaded.Messaging.Benchmarks.Udp.Flood;

/// <summary>A network namespace of Linux in which a process has all addresses from 10.80.0.0 to 10.80.255.255. Needs root.</summary>
/// <remarks>A socket that connects to such an address has the same address. A server at all addresses therefore sees each client at the address to which the client connects.</remarks>
public sealed class LocalNetwork : IDisposable
{
    public LocalNetwork()
    {
        EmulatedLink.Run("ip", "netns", "add", Name);
        EmulatedLink.Run("ip", "-n", Name, "link", "set", "lo", "up");
        EmulatedLink.Run("ip", "-n", Name, "route", "add", "local", "10.80.0.0/16", "dev", "lo");
    }

    public string Name { get; } = $"flood-{Environment.ProcessId}";

    public static string AddressOf(int number) => $"10.80.{number / 200}.{1 + (number % 200)}";

    public void Dispose() => EmulatedLink.Run("ip", "netns", "del", Name);
}
