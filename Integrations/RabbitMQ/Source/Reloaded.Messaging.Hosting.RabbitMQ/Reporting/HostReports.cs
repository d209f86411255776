using System;
using System.Globalization;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The counters and the events of a host. An exception of a listener is reported like the exception of a handler. Thread-safe.</summary>
internal sealed class HostReports
{
    public event Action<LinkState, string>? LinkChanged;

    public event Action<RabbitGap>? GapFound;

    public event Action<RefusedPublication>? PublicationRefused;

    public event Action<StalledTopic>? TopicStalled;

    public event Action<string>? PublicationUnrouted;

    /// <summary>Counts and reports the exceptions of handlers and listeners.</summary>
    public FailureReporter<RabbitFailure> Failures { get; } = new(static failure => UnheardFailure.Write(
        failure.Exception,
        string.Create(CultureInfo.InvariantCulture, $"message: {failure.Type}, sender: {failure.From.Sender}, topic: {failure.From.Topic}"),
        "RabbitHost.HandlerFailed"));

    /// <summary>The counters that <see cref="Count"/> adds to.</summary>
    public Counters<RabbitCounter> Counters { get; } = new();

    /// <summary>The number of messages that were not accepted, by status.</summary>
    public Counters<SendStatus> Sends { get; } = new();

    /// <summary>The counters of requests.</summary>
    public RequestCounters Requests { get; } = new();

    /// <summary>Adds to a counter of the host.</summary>
    public void Count(RabbitCounter counter, long count = 1) => Counters.Add(counter, count);

    /// <summary>Counts a message unless it was accepted.</summary>
    public SendStatus CountUnsent(SendStatus status)
    {
        if (status != SendStatus.Sent)
            Sends.Add(status);
        return status;
    }

    public void ReportFailure(Origin from, uint type, Exception exception) => Failures.Report(new RabbitFailure(from, type, exception));

    public void ReportLink(LinkState state, string reason) => Raise(() => LinkChanged?.Invoke(state, reason));

    public void ReportGap(RabbitGap gap)
    {
        Count(RabbitCounter.Missed, gap.Missed);
        Raise(() => GapFound?.Invoke(gap));
    }

    public void ReportRefused(RefusedPublication publication) => Raise(() => PublicationRefused?.Invoke(publication));

    public void ReportStalled(StalledTopic topic) => Raise(() => TopicStalled?.Invoke(topic));

    public void ReportUnrouted(string topic) => Raise(() => PublicationUnrouted?.Invoke(topic));

    /// <summary>Raises an event.</summary>
    public void Raise(Action raise) => Failures.Call(raise, static e => new RabbitFailure(default, 0, e));
}
