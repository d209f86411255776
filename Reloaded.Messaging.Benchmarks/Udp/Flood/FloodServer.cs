using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Udp.Flood;

/// <summary>The server of <see cref="FloodRun"/>, in its own process: it replies to requests of players that have the token, and has a key.</summary>
public static class FloodServer
{
    public const string Verb = "flood-server";

    /// <summary>Prints the port, the token and the public key. Replies to each line with the counters and the processor time.</summary>
    public static async Task RunAsync()
    {
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        var (token, protection) = (RandomNumberGenerator.GetBytes(32), ProtectionOptions.WithServerKeyFile(path, createIfMissing: true));
        File.Delete(path);
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.Udp("0.0.0.0", 0),
            static host => host.OnRequest(static (in EchoMessage message, Peer _) => message),
            new MessageHostOptions { Token = token, Protection = protection });
        Console.WriteLine($"{server.Endpoint.Port} {Convert.ToHexString(token)} {protection.ServerKey}");
        while (await Task.Run(Console.In.ReadLine) is not null) // the asynchronous read of a console blocks
        {
            using var process = Process.GetCurrentProcess();
            Console.WriteLine(
                $"{process.TotalProcessorTime.TotalSeconds:F3} s of processor time; {server.AllPeers.Count} peers; dropped: {CountOverflow(server.Endpoint.Port)} datagrams by the full buffer of the socket, {server.GetCount(DatagramDropReason.TooManyHellos)} hellos, " +
                $"{server.GetCount(DatagramDropReason.WrongProtection)} forged, {server.GetCount(DatagramDropReason.LockedOut)} of locked out addresses, {server.GetCount(DatagramDropReason.TooManyUnauthenticated)} beyond the limits");
        }
    }

    /// <summary>The datagrams that the system dropped because the socket at a port had no room: the last field of its line (man 5 proc_pid_net).</summary>
    private static long CountOverflow(int port)
    {
        var local = string.Create(CultureInfo.InvariantCulture, $":{port:X4}");
        return File.ReadLines("/proc/net/udp").Skip(1).Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Where(fields => fields[1].EndsWith(local, StringComparison.Ordinal)).Sum(static fields => long.Parse(fields[^1], CultureInfo.InvariantCulture));
    }
}
