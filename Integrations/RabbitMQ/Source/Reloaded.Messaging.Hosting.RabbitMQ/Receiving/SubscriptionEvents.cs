using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Counts and raises the events of the subscriptions of a host. <see cref="HostReports"/> has the events of the host itself.</summary>
/// <param name="reports">The counters of the host. They also report the exceptions of listeners.</param>
internal sealed class SubscriptionEvents(HostReports reports)
{
    public event Action<Subscription, string>? SubscriptionFailed;

    public event Action<Subscription>? DeadLettersFull;

    public event Action<StalledHandler>? HandlerStalled;

    public event Action<Subscription, int>? HandoverGivenUp;

    public void ReportSubscriptionFailed(Subscription subscription, string reason)
    {
        reports.Count(RabbitCounter.FailedSubscriptions);
        reports.Raise(() => SubscriptionFailed?.Invoke(subscription, reason));
    }

    public void ReportDeadLettersFull(Subscription subscription) => reports.Raise(() => DeadLettersFull?.Invoke(subscription));

    public void ReportHandlerStalled(StalledHandler handler)
    {
        reports.Count(RabbitCounter.StalledHandlers);
        reports.Raise(() => HandlerStalled?.Invoke(handler));
    }

    public void ReportHandoverGivenUp(Subscription subscription, int partition)
    {
        reports.Count(RabbitCounter.HandoversGivenUp);
        reports.Raise(() => HandoverGivenUp?.Invoke(subscription, partition));
    }
}
