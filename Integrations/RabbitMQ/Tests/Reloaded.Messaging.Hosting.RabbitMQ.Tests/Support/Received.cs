using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The messages that handlers received, in order, and tasks that complete when enough of them have arrived.</summary>
public sealed class Received<T>
{
    private readonly List<(T Message, Origin From)> _all = [];
    private readonly List<(Func<IReadOnlyList<(T Message, Origin From)>, bool> Condition, TaskCompletionSource Done)> _waits = [];

    public List<(T Message, Origin From)> All
    {
        get
        {
            lock (_all)
                return [.. _all];
        }
    }

    public int Count
    {
        get
        {
            lock (_all)
                return _all.Count;
        }
    }

    public List<T> Messages => All.ConvertAll(static one => one.Message);

    public void Add(in T message, Origin from)
    {
        lock (_all)
        {
            _all.Add((message, from));
            _waits.RemoveAll(wait => wait.Condition(_all) && wait.Done.TrySetResult());
        }
    }

    public Task CountAsync(int count) => UntilAsync(all => all.Count >= count);

    public async Task UntilAsync(Func<IReadOnlyList<(T Message, Origin From)>, bool> condition)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_all)
        {
            if (condition(_all))
                return;
            _waits.Add((condition, done));
        }

        await done.Task.InTime();
    }
}
