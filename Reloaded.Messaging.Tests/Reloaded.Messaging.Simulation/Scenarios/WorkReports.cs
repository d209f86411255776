using Reloaded.Messaging.Simulation.Laws;

namespace Reloaded.Messaging.Simulation.Scenarios;

/// <summary>The reports of one request, as its requester receives them.</summary>
internal sealed class WorkReports(Participant client) : IProgress<Worked>
{
    private int _last = -1;
    private bool _hasEnded;

    public void Report(Worked value)
    {
        client.CheckOpen("a report");
        Law.Require(!_hasEnded, LawNames.ReportEnd, $"Report {value.Number} follows the end of its request.");
        Law.Require(value.Number > _last, LawNames.ReportOrder, $"Report {value.Number} follows report {_last}.");
        _last = value.Number;
    }

    /// <summary>Records that the call has ended.</summary>
    /// <param name="last">The last report that the handler has made; <c>null</c> if the call has ended without a reply.</param>
    public void End(int? last = null)
    {
        _hasEnded = true;
        Law.Require(last is null || _last == last, LawNames.ReportLast, $"The reply follows report {_last}; the last one was {last}.");
    }
}
