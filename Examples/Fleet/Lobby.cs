using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Fleet;

/// <summary>What the lobby knows: which match ended how, and what the servers say of themselves.</summary>
public sealed class Lobby(int matches)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<int, MatchResult> _results = [];
    private readonly Dictionary<string, int> _loads = [];
    private readonly TaskCompletionSource _some = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _all = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Results that came for a match that had one: played again, because nobody knew that it had been.</summary>
    public int PlayedAgain { get; private set; }

    /// <summary>A fifth of the matches has a result.</summary>
    public Task Some => _some.Task;

    /// <summary>All have.</summary>
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
