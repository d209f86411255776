using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>The handler's work of the library and of the floor: counts the messages, and adds their first values.</summary>
public sealed class ReceivedMessages
{
    private readonly object _gate = new();
    private TaskCompletionSource _reached = new();
    private long _awaited = long.MaxValue;
    private long _count;
    private long _sum;

    public void Add(long value)
    {
        lock (_gate)
        {
            _sum += value;
            if (++_count >= _awaited)
                _reached.TrySetResult();
        }
    }

    /// <summary>Waits for a number of messages since the start, and checks that they are the messages from 1 to this number, each once.</summary>
    public async Task WaitAsync(long count)
    {
        lock (_gate)
        {
            (_awaited, _reached) = (count, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
            if (_count >= count)
                _reached.SetResult();
        }

        await _reached.Task.WaitAsync(TimeSpan.FromMinutes(1));
        lock (_gate)
        {
            if (_count != count || _sum != count * (count + 1) / 2)
                throw new InvalidOperationException($"The messages 1 to {count} were expected, but {_count} messages with the sum {_sum} were received.");
        }
    }
}
