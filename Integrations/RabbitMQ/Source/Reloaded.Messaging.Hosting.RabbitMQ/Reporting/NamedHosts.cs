using System;
using System.Threading;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The running hosts of one name, and the sums of those that were disposed, so that no count decreases. Thread-safe.</summary>
internal sealed class NamedHosts
{
    private State _state = new([], new Counters<RabbitCounter>());

    public long Connected
    {
        get
        {
            long connected = 0;
            foreach (var host in Volatile.Read(ref _state).Running)
                connected += host.IsConnected ? 1 : 0;
            return connected;
        }
    }

    public void Add(IMeasuredHost host) => Change(state => state with { Running = [.. state.Running, host] });

    /// <summary>Ends a host. Its counts stay.</summary>
    public void End(IMeasuredHost host)
    {
        var last = host.ReadCounters();
        Change(state =>
        {
            var ended = state.Ended.Copy();
            foreach (var counter in Counters<RabbitCounter>.All)
                ended[counter] += last[counter];
            return new State(Array.FindAll(state.Running, other => other != host), ended);
        });
    }

    /// <summary>Returns a count of all hosts since the start of the process.</summary>
    public long Sum(RabbitCounter counter)
    {
        var state = Volatile.Read(ref _state);
        return state.Ended[counter] + SumOf(state.Running, counter);
    }

    /// <summary>Returns the sum of a current value.</summary>
    public long SumOfRunning(RabbitCounter counter) => SumOf(Volatile.Read(ref _state).Running, counter);

    private static long SumOf(IMeasuredHost[] hosts, RabbitCounter counter)
    {
        long sum = 0;
        foreach (var host in hosts)
            sum += host.ReadCounters()[counter];
        return sum;
    }

    private void Change(Func<State, State> change)
    {
        State before;
        do
            before = Volatile.Read(ref _state);
        while (Interlocked.CompareExchange(ref _state, change(before), before) != before);
    }

    private sealed record State(IMeasuredHost[] Running, Counters<RabbitCounter> Ended);
}
