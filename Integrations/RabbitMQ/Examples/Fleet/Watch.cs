using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Fleet;

/// <summary>The results that arrive, and the processes that take over for a killed process.</summary>
public sealed class Watch
{
    private readonly Lock _gate = new();
    private readonly HashSet<int> _matches = [];
    private readonly List<(Func<MatchResult?, Stored?, bool> IsIt, TaskCompletionSource<TimeSpan> Seen, long From)> _waits = [];

    /// <summary>The results by server, and those of repeated matches.</summary>
    public Dictionary<string, (int All, int Repeated)> Servers { get; } = [];

    public void Register(RabbitHost host)
    {
        _ = host.On((in MatchResult result, Origin _) => Note(result, null));
        _ = host.On((in Stored stored, Origin _) => Note(null, stored));
    }

    /// <summary>Completes when a number of matches have a result.</summary>
    public Task CountAsync(int count) => SeeAsync((_, _) => _matches.Count >= count);

    /// <summary>Completes when a result or a stored result is the awaited one, with the time since the call.</summary>
    public async Task<TimeSpan> SeeAsync(Func<MatchResult?, Stored?, bool> isIt)
    {
        var seen = new TaskCompletionSource<TimeSpan>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
            _waits.Add((isIt, seen, Stopwatch.GetTimestamp()));
        return await seen.Task.WaitAsync(TimeSpan.FromMinutes(1));
    }

    private void Note(MatchResult? result, Stored? stored)
    {
        lock (_gate)
        {
            if (result is not null)
            {
                _matches.Add(result.Id);
                var (all, repeated) = Servers.GetValueOrDefault(result.Server);
                Servers[result.Server] = (all + 1, repeated + (result.WasRepeated ? 1 : 0));
            }

            foreach (var (isIt, seen, from) in _waits)
            {
                if (!seen.Task.IsCompleted && isIt(result, stored))
                    seen.TrySetResult(Stopwatch.GetElapsedTime(from));
            }
        }
    }
}
