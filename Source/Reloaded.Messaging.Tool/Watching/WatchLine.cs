using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Describes a host in one line, for a file or another program.</summary>
internal static class WatchLine
{
    public static string Create(WatchedRates rates)
    {
        var (now, total) = (rates.Now, rates.Total);
        var counters = string.Concat(now.Counters.OrderBy(static one => one.Key, StringComparer.Ordinal).Select(static one => FormattableString.Invariant($" {one.Key}={one.Value}")));
        return FormattableString.Invariant(
            $"{now.Process} pid={now.ProcessId} uptime={now.Uptime:hh\\:mm\\:ss} peers={now.PeerCount} received={total.Received:F0}/s received-bytes={total.ReceivedBytes:F0}/s sent={total.Sent:F0}/s sent-bytes={total.SentBytes:F0}/s queued={now.Queued} pending-bytes={now.Peers.Sum(static peer => (long)peer.PendingBytes)}{counters}");
    }
}
