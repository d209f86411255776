using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A mod: run from a second copy of this assembly, in a context of its own, against the library and a dispatcher of the host's.</summary>
public static class UnloadableMod
{
    /// <summary>Declares contracts, handles messages by every kind of handler, and removes them all.</summary>
    /// <returns>The messages that were handled.</returns>
    public static int RunAndRemove(MessageDispatcher<int> dispatcher)
    {
        var brotli = new CompressionOptions(new BrotliCompressor(), threshold: 0, evenIfLarger: true);
        var blittable = new MessageContract<ModMove>(1, new BlittableSerializer<ModMove>()).Declare();
        var text = new MessageContract<ModText>(2, new ModTextSerializer(), brotli).Declare();
        var extended = new MessageContract<ModText>(300, new ModTextSerializer(), brotli);
        var writer = new MessageWriter();
        var handled = 0;

        using var first = dispatcher.Register<ModMove>((in ModMove move, ref int state) => handled += move.Steps);
        using var second = dispatcher.Register(new ModTextHandler());
        using var third = dispatcher.Register(extended, async (message, _, _) =>
        {
            await Task.Yield();
            handled += message.Text.Length;
        });
        using var raw = dispatcher.RegisterRaw(4, (in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => handled++);
        using var fallback = dispatcher.RegisterFallback((in MessageHeader _, ReadOnlySpan<byte> _, ref int _) => handled++);
        dispatcher.Register(blittable, (in ModMove move, ref int _) => handled += move.Steps, DuplicateHandlerBehavior.Replace);

        var state = 0;
        using (var packed = writer.Pack(new ModMove(1)))
            dispatcher.Dispatch(packed.Span, ref state);
        using (var packed = writer.Pack(new ModText("a")))
            dispatcher.Dispatch(packed.Span, ref state);
        using (var packed = writer.Pack(extended, new ModText("b")))
            dispatcher.DispatchAsync(packed.Span, state).AsTask().GetAwaiter().GetResult();
        dispatcher.Dispatch([4], ref state);
        dispatcher.Dispatch([5], ref state);
        dispatcher.Remove(1);
        return handled + state;
    }

    /// <summary>Registers a handler and leaves it there.</summary>
    public static int RunAndStay(MessageDispatcher<int> dispatcher)
    {
        dispatcher.Register(new MessageContract<ModMove>(6, new BlittableSerializer<ModMove>()), static (in ModMove _, ref int _) => { });
        return 0;
    }

    /// <summary>Leaves instances of a type of its own spare on the calling thread.</summary>
    public static int RunAndReturnInstances(MessageDispatcher<int> dispatcher)
    {
        InstancePool<ModText>.Return(new ModText("a"));
        InstancePool<ModText>.Return(new ModText("b"));
        return InstancePool<ModText>.Spare;
    }
}
