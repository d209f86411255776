using System;
using System.Diagnostics;
using GameServer.Worlds;

namespace GameServer.Display;

/// <summary>The figures of the server at one moment. The difference of two readings fills a table.</summary>
public sealed class Reading
{
    private readonly WorldCounts _counts;
    private readonly long _at = Stopwatch.GetTimestamp();
    private readonly int[] _collections = [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)];
    private readonly WorldServer _server;

    public Reading(WorldServer server) => (_server, _counts) = (server, server.GetCounts());

    /// <summary>The names of the columns.</summary>
    public static string[] Names { get; } = ["players", "messages in/s", "messages out/s", "skipped/s", "bytes/tick", "tick p50 ms", "tick p99 ms", "ticks", "GC 0/1/2"];

    /// <returns>The figures since another reading. Tick times are those of the ticks since then.</returns>
    public string[] Since(Reading before)
    {
        var seconds = Stopwatch.GetElapsedTime(before._at, _at).TotalSeconds;
        var ticks = _counts.Ticks - before._counts.Ticks;
        return
        [
            $"{_counts.Players:N0}",
            $"{(_counts.Received - before._counts.Received) / seconds:N0}",
            $"{(_counts.Sent - before._counts.Sent) / seconds:N0}",
            $"{(_counts.Skipped - before._counts.Skipped) / seconds:N0}",
            $"{(_counts.SentBytes - before._counts.SentBytes) / (double)Math.Max(1, ticks):N0}",
            $"{_server.Times.Percentile(0.5, ticks):N2}",
            $"{_server.Times.Percentile(0.99, ticks):N2}",
            $"{ticks:N0}",
            $"{_collections[0] - before._collections[0]}/{_collections[1] - before._collections[1]}/{_collections[2] - before._collections[2]}",
        ];
    }
}
