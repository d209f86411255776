using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Services;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>A mod: run from a second copy of this assembly, in a context of its own, against the library and a host of the game's.</summary>
public static class UnloadableMod
{
    /// <summary>Registers contracts, handlers of every kind and a service, asks and is asked, and removes its handlers, while one of them may run still.</summary>
    /// <param name="game">The game's server.</param>
    /// <param name="tool">A client of it.</param>
    /// <param name="entered">Completed by the mod once a handler of its waits.</param>
    /// <param name="leave">Completed by the game when that handler may go on.</param>
    /// <returns>The messages that were handled; the handler that waits isn't one of them.</returns>
    public static async Task<int> RunAsync(MessageHost game, MessageClient tool, TaskCompletionSource entered, Task leave)
    {
        var declared = new MessageContract<ModQuestion>(60, new BlittableSerializer<ModQuestion>()).Declare();
        new MessageContract<ModAnswer>(61, new BlittableSerializer<ModAnswer>()).Declare();
        var other = new MessageContract<ModSlow>(62, new BlittableSerializer<ModSlow>()).Declare();
        var handled = 0;
        using var answering = game.OnRequest((ModQuestion question) => new ModAnswer(question.Number + 1));
        using var events = game.On<ModEvent>(new MessageContract<ModEvent>(63, new BlittableSerializer<ModEvent>()).Declare(), (in ModEvent _, Peer _) => handled++);
        var slow = game.OnRequest<ModSlow, ModAnswer>(async (_, _, _) =>
        {
            entered.SetResult();
            await leave;
            return new ModAnswer(handled);
        });

        var mods = new Mods();
        using var service = game.AddService<IModLoader>(mods);
        var loader = tool.GetService<IModLoader>();
        Action<ModLoaded> loaded = _ => handled--;
        loader.Loaded += loaded;
        await game.AnsweredAsync();
        await tool.AnsweredAsync();
        handled += await loader.CountAsync(0);
        mods.Raise("a");
        await loader.TouchAsync(); // the event before it has arrived
        loader.Loaded -= loaded;

        tool.Send(new ModEvent(1));
        var answer = await tool.RequestAsync<ModQuestion, ModAnswer>(new ModQuestion(1));
        _ = tool.TryRequestAsync<ModSlow, ModAnswer>(new ModSlow(1)).AsTask();
        await entered.Task;
        slow.Dispose();
        return handled + answer.Number + (int)(declared.Type - other.Type);
    }

    public readonly record struct ModQuestion(int Number);

    public readonly record struct ModAnswer(int Number);

    public readonly record struct ModSlow(int Number);

    public readonly record struct ModEvent(int Number);
}
