namespace Reloaded.Messaging.Hosting;

/// <summary>Sends the reports of one handler to its requester. Thread-safe.</summary>
/// <param name="request">The request.</param>
/// <param name="contract">The contract of the reports.</param>
internal sealed class RequestProgress<T>(MessageContext request, MessageContract<T> contract) : IProgress<T>
{
    private readonly RequestReports? _reports = request.Peer.Reports is { } reports && reports.Contains(request.CorrelationId) ? reports : null; // null if the requester wants no reports

    public void Report(T value)
    {
        if (_reports is null)
            return;
        using var packed = request.Peer.Host.Resources.Writer.Pack(contract, in value);
        if (!_reports.TryAdd(request.CorrelationId, packed, contract.IsSecret))
            request.Peer.Host.RequestCounters.CountLateReply();
    }
}
