using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Runs a host over RabbitMQ. The program starts while the host connects in the background.</summary>
/// <param name="name">The name of the host.</param>
/// <param name="settings">The settings of all hosts.</param>
/// <param name="loggers">Creates the logger.</param>
/// <param name="time">The clock.</param>
/// <param name="configure">Registers the handlers.</param>
internal sealed class RabbitHostRunner(string name, IOptionsMonitor<RabbitHostSettings> settings, ILoggerFactory? loggers, TimeProvider time, Action<RabbitHost> configure)
    : HostRunner<RabbitHost>(name, loggers)
{
    private readonly LinkWatch _link = new(time);
    private readonly ConcurrentDictionary<Subscription, bool> _failed = new(); // those that failed once; Failure tells whether they receive again
    private volatile bool _isStopping;

    public override Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            var checkedSettings = settings.Get(Name);
            Provide(RabbitHost.Start(checkedSettings.Connection!, host => Configure(host, checkedSettings), checkedSettings.Options));
            return Task.CompletedTask;
        }
        catch (Exception e)
        {
            Fail(e);
            throw;
        }
    }

    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        _isStopping = true;
        var droppedBefore = Accessor.Current?.GetStatistics().Dropped;
        try
        {
            await base.StopAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            var statistics = Accessor.Current?.GetStatistics();
            var waiting = cancellationToken.IsCancellationRequested ? statistics?.Unconfirmed : 0; // the program ends before the host has given them up
            if (statistics?.Dropped - droppedBefore + waiting is > 0 and var messages)
                RabbitLog.MessagesLost(Logger, Name, messages);
            if (statistics?.Abandoned is > 0 and var abandoned)
                RabbitLog.MessagesAbandoned(Logger, Name, abandoned);
        }
    }

    protected override HealthCheckResult DescribeStart() => HealthCheckResult.Degraded("It has not started.");

    protected override HealthCheckResult Describe(RabbitHost host)
    {
        var statistics = host.GetStatistics();
        var (status, description) = DescribeState(statistics.StalledTopics);
        return new HealthCheckResult(status, description, null, new Dictionary<string, object> { ["state"] = description, ["unconfirmed"] = statistics.Unconfirmed });
    }

    private (HealthStatus Status, string Description) DescribeState(long stalledTopics)
    {
        var last = _link.Last;
        var elapsed = _link.GetElapsed(last);
        return (last.State, last.Reason) switch
        {
            (LinkState.Disconnected, "") => (HealthStatus.Degraded, "It connects for the first time."),
            (LinkState.Disconnected, _) => (HealthStatus.Unhealthy, $"It has not been connected for {elapsed}. {last.Reason.TrimEnd('.')}."),
            (LinkState.Blocked, _) => (HealthStatus.Degraded, $"It has been blocked for {elapsed}. {last.Reason.TrimEnd('.')}."),
            _ when FindFailed() is { } failed => (HealthStatus.Degraded, $"It is connected and does not receive from {failed}: {failed.Failure?.TrimEnd('.')}."),
            _ when stalledTopics > 0 => (HealthStatus.Degraded, $"It is connected. Topics that wait for a queue that is full or does not confirm: {stalledTopics}."),
            _ => (HealthStatus.Healthy, "It is connected."),
        };
    }

    private Subscription? FindFailed()
    {
        foreach (var (subscription, _) in _failed)
        {
            if (subscription.Failure is not null)
                return subscription;
            _failed.TryRemove(subscription, out _);
        }

        return null;
    }

    /// <summary>Prepares the host before it connects. The log is first, so that it contains the events of the first connection.</summary>
    private void Configure(RabbitHost host, RabbitHostSettings checkedSettings)
    {
        host.LogTo(Logger, Name);
        host.LinkChanged += Note;
        host.SubscriptionFailed += (subscription, _) => _failed[subscription] = true;
        configure(host);
        foreach (var subscription in checkedSettings.Subscriptions)
            host.Subscribe(subscription.Topic, subscription.Kind, subscription.Group, subscription.Options);
        foreach (var answered in checkedSettings.Answers)
            host.Answer(answered);
    }

    private void Note(LinkState state, string reason)
    {
        var before = _link.Note(state, reason);
        if (!_isStopping)
            Logger.LogLink(Name, before, state, reason, _link.Last.Failures);
    }
}

/// <summary>The state of a host's connection, its reason, and how long it has lasted. One thread writes, any thread reads.</summary>
internal sealed class LinkWatch(TimeProvider time)
{
    private volatile Entry _last = new(LinkState.Disconnected, "", time.GetTimestamp(), 0);

    /// <summary>The last report.</summary>
    public Entry Last => _last;

    /// <summary>Returns the time since a state began, in whole seconds.</summary>
    public TimeSpan GetElapsed(Entry state) => TimeSpan.FromSeconds(Math.Floor(time.GetElapsedTime(state.Since).TotalSeconds));

    /// <summary>Records a report of the host.</summary>
    /// <returns>The state before the report.</returns>
    public LinkState Note(LinkState state, string reason)
    {
        var before = _last;
        _last = state == before.State
            ? before with { Reason = reason, Failures = before.Failures + 1 }
            : new Entry(state, reason, time.GetTimestamp(), 0);
        return before.State;
    }

    /// <summary>A state.</summary>
    /// <param name="State">The state.</param>
    /// <param name="Reason">The last reason; empty before the first attempt to connect has ended.</param>
    /// <param name="Since">When the state began, as a timestamp.</param>
    /// <param name="Failures">The number of failed attempts to connect since then.</param>
    public sealed record Entry(LinkState State, string Reason, long Since, int Failures);
}
