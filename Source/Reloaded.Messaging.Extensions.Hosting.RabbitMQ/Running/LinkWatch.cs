using System;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

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
            ? before with { Reason = reason, Reports = before.Reports + 1 }
            : new Entry(state, reason, time.GetTimestamp(), 1);
        return before.State;
    }

    /// <summary>A state.</summary>
    /// <param name="State">The state.</param>
    /// <param name="Reason">The last reason.</param>
    /// <param name="Since">When the state began, as a timestamp.</param>
    /// <param name="Reports">The number of reports since then; 0 before the first attempt to connect has ended.</param>
    public sealed record Entry(LinkState State, string Reason, long Since, int Reports);
}
