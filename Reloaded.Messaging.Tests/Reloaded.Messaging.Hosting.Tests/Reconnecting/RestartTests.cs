using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reconnecting;

/// <summary>Games that are killed and started again, as processes of their own, under a tool that asks.</summary>
public sealed class RestartTests
{
    private static readonly int s_restarts = Extent.Of(2, 8);

    private static int s_names;

    private readonly string _name = $"game-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    [Fact]
    public async Task A_tool_goes_on_through_many_kills_and_nothing_is_left_behind()
    {
        var before = Directory.GetFiles(ServerFolder.Get()).ToHashSet();
        var processes = new ConcurrentDictionary<int, int>();
        var game = await GameProcess.StartAsync(_name);
        await using (var tool = await MessageHost.ConnectAsync(game.Endpoint, options: With(FindNext, resends: true)))
        {
            var isOver = false;
            var asking = Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
            {
                for (var number = 0; !Volatile.Read(ref isOver); number++)
                {
                    var answer = await tool.RequestAsync<Question, Answer>(new Question(number), TimeSpan.FromMinutes(2));
                    Assert.Equal(number, answer.Number);
                    processes[answer.ProcessId] = number;
                    await Task.Delay(1); // the other processes need this machine too
                }
            })).ToArray();

            for (var restart = 1; restart <= s_restarts; restart++)
            {
                await Signal.UntilAsync(() => processes.ContainsKey(game.Id) || Array.Exists(asking, one => one.IsFaulted));
                var starting = GameProcess.StartAsync(_name);
                await game.KillAsync();
                game.Dispose();
                game = await starting;
            }

            await Signal.UntilAsync(() => processes.ContainsKey(game.Id) || Array.Exists(asking, one => one.IsFaulted));
            Volatile.Write(ref isOver, true);
            await Task.WhenAll(asking).InTime();
            Assert.Equal(s_restarts + 1, processes.Count);
            Assert.True(tool.Reconnects >= s_restarts);
            Assert.Equal(0, tool.GetStatistics().LateReplies);
            await game.QuitAsync();
        }

        game.Dispose();
        ServerFolder.RemoveDead();
        Assert.DoesNotContain(Directory.GetFiles(ServerFolder.Get()), path => !before.Contains(path) && IsOf(processes, path));
    }

    [Fact]
    public async Task Request_that_is_sent_while_no_game_runs_is_answered_by_the_next_game()
    {
        var game = await GameProcess.StartAsync(_name);
        await using var tool = await MessageHost.ConnectAsync(game.Endpoint, options: With(FindNext, resends: true));
        for (var restart = 1; restart <= s_restarts; restart++)
        {
            await game.KillAsync();
            game.Dispose();
            var asked = tool.RequestAsync<Question, Answer>(new Question(restart), TimeSpan.FromMinutes(2)).AsTask();
            game = await GameProcess.StartAsync(_name);
            Assert.Equal(new Answer(restart, game.Id), await asked.InTime());
            Assert.Equal(restart, tool.Reconnects);
        }

        await game.QuitAsync();
        game.Dispose();
    }

    [Fact]
    public async Task A_tool_that_was_started_before_the_game_finds_it()
    {
        var looked = Signal.New<bool>();
        var connecting = MessageHost.ConnectAsync(MessageEndpoint.OfProcess(Environment.ProcessId, _name), options: With(attempt =>
        {
            looked.TrySetResult(attempt.Failure is DiscoveryException { Failure: DiscoveryFailure.NoServer });
            return FindNext(attempt);
        }));
        Assert.True(await looked.Task.InTime());

        using var game = await GameProcess.StartAsync(_name);
        await using var tool = await connecting.InTime();

        Assert.Equal(new Answer(1, game.Id), await tool.RequestAsync<Question, Answer>(new Question(1)).AsTask().InTime());
        await game.QuitAsync();
    }

    [Fact]
    public async Task Two_games_with_a_server_of_one_name_are_told_apart()
    {
        using var one = await GameProcess.StartAsync(_name);
        using var two = await GameProcess.StartAsync(_name);

        Assert.Equal(new[] { one.Endpoint, two.Endpoint }.OrderBy(endpoint => endpoint.ProcessId), MessageEndpoint.FindServers(_name));
        foreach (var game in new[] { one, two })
        {
            await using var tool = await MessageHost.ConnectAsync(game.Endpoint);
            Assert.Equal(new Answer(1, game.Id), await tool.RequestAsync<Question, Answer>(new Question(1)).AsTask().InTime());
        }

        await one.KillAsync();
        Assert.Equal([two.Endpoint], MessageEndpoint.FindServers(_name));
        Assert.Equal(DiscoveryFailure.NoProcess, (await Assert.ThrowsAsync<DiscoveryException>(() => MessageHost.ConnectAsync(one.Endpoint))).Failure);
        await two.QuitAsync();
        Assert.Empty(MessageEndpoint.FindServers(_name));
    }

    /// <summary>Whether a file is the entry of one of the processes (name.id) or its socket's (id-digits.sock).</summary>
    private static bool IsOf(ConcurrentDictionary<int, int> processes, string path)
    {
        var file = Path.GetFileName(path);
        return processes.Keys.Any(id => file.StartsWith($"{id}-", StringComparison.Ordinal) || file.EndsWith($".{id}", StringComparison.Ordinal));
    }

    private static MessageHostOptions With(Func<ReconnectAttempt, ValueTask<MessageEndpoint?>> next, bool resends = false) => new()
    {
        Reconnect = new ReconnectOptions { FirstDelay = TimeSpan.FromMilliseconds(5), MaxDelay = TimeSpan.FromMilliseconds(50), ResendsRequests = resends, NextEndpoint = next },
    };

    /// <summary>Whatever game there is; while there is none, the last one.</summary>
    private ValueTask<MessageEndpoint?> FindNext(ReconnectAttempt attempt) => new(MessageEndpoint.FindServers(_name) is [var found, ..] ? found : attempt.Endpoint);
}
