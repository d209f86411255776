using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess;
using Reloaded.Messaging.Tests.Reconnecting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>This build and the one for .NET 10, which the other process has.</summary>
public sealed class AcrossBuildsTests
{
    private static int s_names;

    private readonly string _name = $"across-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    [Fact]
    public async Task A_server_of_the_other_build_is_found_proves_its_token_and_answers()
    {
        using var game = await GameProcess.StartAsync(_name);

        Assert.Equal([game.Endpoint], MessageEndpoint.FindServers(_name)); // it holds its lock, and this build sees that
        await using var tool = await MessageHost.ConnectAsync(game.Endpoint);

        Assert.Equal(new Answer(1, game.Id), await tool.RequestAsync<Question, Answer>(new Question(1)).AsTask().InTime());
        await game.QuitAsync();
    }

    [Fact]
    public async Task A_server_of_the_other_build_that_was_killed_is_known_to_be_dead()
    {
        using var game = await GameProcess.StartAsync(_name);

        await game.KillAsync();

        Assert.Empty(MessageEndpoint.FindServers(_name));
        Assert.Equal(DiscoveryFailure.NoProcess, (await Assert.ThrowsAsync<DiscoveryException>(() => MessageHost.ConnectAsync(game.Endpoint))).Failure);
    }
}
