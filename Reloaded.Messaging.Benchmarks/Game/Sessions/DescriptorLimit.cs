using System.Globalization;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>The number of files and sockets that this process may open. The runtime raises the limit to the maximum of the system at its start.</summary>
public static class DescriptorLimit
{
    private const int PerSession = 1; // client and server are two processes
    private const int Beside = 64 + Establishment.Beside;

    /// <returns>The advice to allow the given number of sessions; <c>null</c> if the limit is sufficient.</returns>
    public static string? WhatToSet(int sessions)
    {
        if (!OperatingSystem.IsLinux())
            return null; // on other systems, the first refused socket reports the limit
        var open = Directory.GetFiles("/proc/self/fd").Length;
        var needed = PerSession * sessions + open + Beside;
        var limit = Read();
        return limit >= needed ? null : string.Create(
            CultureInfo.InvariantCulture,
            $"{sessions} sessions need {needed} descriptors in each of the two processes. This process may open {limit}, which is enough for {(limit - open - Beside) / PerSession} sessions. " +
            $"Run 'ulimit -n {needed}' first. If this is not permitted, raise the hard limit ('nofile' in /etc/security/limits.conf, LimitNOFILE of a service, --ulimit of a container).");
    }

    private static long Read()
    {
        // Max open files            1024                 524288               files
        var line = File.ReadLines("/proc/self/limits").First(static line => line.StartsWith("Max open files", StringComparison.Ordinal));
        var soft = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[3];
        return soft == "unlimited" ? long.MaxValue : long.Parse(soft, CultureInfo.InvariantCulture);
    }
}
