using System;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Reloaded.Messaging.Benchmarks.Game.Sessions;

/// <summary>How many files and sockets this process may open. The runtime raises that to what the system allows by itself, when it starts.</summary>
public static class DescriptorLimit
{
    private const int PerSession = 2; // both ends are in this process
    private const int Beside = 64;

    /// <returns>What to do so that so many sessions can be had; null if they can.</returns>
    public static string? WhatToSet(int sessions)
    {
        if (!OperatingSystem.IsLinux())
            return null; // whoever is refused a socket finds out at the first one that is
        var open = Directory.GetFiles("/proc/self/fd").Length;
        var needed = PerSession * sessions + open + Beside;
        var limit = Read();
        return limit >= needed ? null : string.Create(
            CultureInfo.InvariantCulture,
            $"{sessions} sessions take {needed} descriptors, with both ends in one process, and this one may open {limit}: {(limit - open - Beside) / PerSession} sessions. " +
            $"Run 'ulimit -n {needed}' first; where that is not permitted, raise the hard limit ('nofile' in /etc/security/limits.conf, LimitNOFILE of a service, --ulimit of a container).");
    }

    private static long Read()
    {
        // Max open files            1024                 524288               files
        var line = File.ReadLines("/proc/self/limits").First(static line => line.StartsWith("Max open files", StringComparison.Ordinal));
        var soft = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[3];
        return soft == "unlimited" ? long.MaxValue : long.Parse(soft, CultureInfo.InvariantCulture);
    }
}
