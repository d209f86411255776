using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>A mod's assembly can be unloaded: nothing in a host refers to it once its handlers are removed and have ended.</summary>
[Quiet]
public sealed class UnloadTests
{
    private const int HandledByTheMod = 1; // an event, and an answer of 2, less what the types of two contracts are apart

    [Fact]
    public async Task A_mod_that_is_unloaded_while_a_handler_of_it_runs_is_collected_when_that_has_ended()
    {
        await using var game = await MessageHost.ListenAsync(MessageEndpoint.InProcess("unload"));
        await using var tool = await MessageHost.ConnectAsync(game.Endpoint);
        var leave = Signal.New<bool>();

        var mod = await RunModAsync(game, tool, leave.Task);
        Assert.False(await UnloadedContext.IsCollectedAsync(mod, attempts: 3)); // its handler runs
        leave.SetResult(true);

        Assert.True(await UnloadedContext.IsCollectedAsync(mod));
        Assert.True(tool.Server.IsConnected);
        Assert.Equal(0, game.GetStatistics().HandlerFailures);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> RunModAsync(MessageHost game, MessageClient tool, Task leave)
    {
        // Without an override every reference, the library's too, resolves to the game's own copy; only the mod is loaded twice.
        var context = new AssemblyLoadContext("a mod", isCollectible: true);
        var run = UnloadedContext.LoadAgain<Func<MessageHost, MessageClient, TaskCompletionSource, Task, Task<int>>>(context, typeof(UnloadableMod), nameof(UnloadableMod.RunAsync));
        Assert.Equal(HandledByTheMod, await run(game, tool, new TaskCompletionSource(), leave).InTime());
        context.Unload();
        return new WeakReference(context, trackResurrection: true);
    }
}
