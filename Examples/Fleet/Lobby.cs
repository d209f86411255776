using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Fleet;

/// <summary>The data of the lobby: the result of each match, and the number of loads from each server.</summary>
public sealed class Lobby(int matches)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<int, MatchResult> _results = [];
    private readonly Dictionary<string, int> _loads = [];
    private readonly TaskCompletionSource _some = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _all = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The number of results for matches that already had a result. Such a match was played again, because its result was not confirmed in time.</summary>
    public int PlayedAgain { get; private set; }

    /// <summary>Completes when a fifth of the matches have a result.</summary>
    public Task Some => _some.Task;

    /// <summary>Completes when all matches have a result.</summary>
    public Task All => _all.Task;

    public IReadOnlyDictionary<int, MatchResult> Results => _results;

    public int LoadsHeard(string server)
    {
        lock (_gate)
            return _loads.GetValueOrDefault(server);
    }

    public void Register(RabbitHost host)
    {
        host.On((in MatchResult result, Origin _) =>
        {
            lock (_gate)
            {
                if (!_results.TryAdd(result.Id, result))
                    PlayedAgain++;
                if (_results.Count >= matches / 5)
                    _some.TrySetResult();
                if (_results.Count == matches)
                    _all.TrySetResult();
            }
        });
        host.On((in Load load, Origin _) =>
        {
            lock (_gate)
                _loads[load.Server] = _loads.GetValueOrDefault(load.Server) + 1;
        });
    }
}
