using System.Collections.Generic;

namespace Reloaded.Messaging.Hosting;

/// <summary>The counters of a host by name, for an inspection.</summary>
internal static class InspectedCounters
{
    /// <returns>The counters that are not 0.</returns>
    public static Dictionary<string, long> Read(MessageHost host)
    {
        var counters = new Dictionary<string, long>();
        var statistics = host.GetStatistics();
        Add(nameof(HostStatistics.HandlerFailures), statistics.HandlerFailures);
        Add(nameof(HostStatistics.RequestsTimedOut), statistics.RequestsTimedOut);
        Add(nameof(HostStatistics.LateReplies), statistics.LateReplies);
        Add(nameof(HostStatistics.FaultsSent), statistics.FaultsSent);
        Add(nameof(HostStatistics.MalformedMessages), statistics.MalformedMessages);
        Add(nameof(HostStatistics.UnknownControlMessages), statistics.UnknownControlMessages);
        Add(nameof(HostStatistics.MisdirectedMessages), statistics.MisdirectedMessages);
        Add(nameof(HostStatistics.FailedAccepts), statistics.FailedAccepts);
        Add(nameof(HostStatistics.RefusedConnections), statistics.RefusedConnections);
        Add(nameof(HostStatistics.LostFrames), statistics.LostFrames);
        Add(nameof(HostStatistics.OverMessageRate), statistics.OverMessageRate);
        Add(nameof(HostStatistics.OverByteRate), statistics.OverByteRate);
        Add(nameof(HostStatistics.SendsFull), statistics.SendsFull);
        Add(nameof(HostStatistics.SendsClosed), statistics.SendsClosed);
        Add(nameof(HostStatistics.SendsTooLarge), statistics.SendsTooLarge);
        Add(nameof(HostStatistics.SendsMismatched), statistics.SendsMismatched);
        Add(nameof(HostStatistics.PendingBytes), statistics.PendingBytes);
        Add(nameof(HostStatistics.PumpStalls), statistics.PumpStalls);
        Add(nameof(HostStatistics.UnhandledMessages), statistics.UnhandledMessages);
        for (var status = DispatchStatus.Handled + 1; status <= DispatchStatus.HandlerIsAsync; status++) // Handled is not counted
            Add(status.ToString(), host.GetCount(status));
        return counters;

        void Add(string name, long count)
        {
            if (count != 0)
                counters[name] = count;
        }
    }
}
