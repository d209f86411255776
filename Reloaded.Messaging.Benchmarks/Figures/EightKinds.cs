using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Eight handlers for eight types, for the dispatcher and for the floor. Each handler adds a field of its message to the state.</summary>
/// <remarks>
/// Each figure uses a different state type, and therefore has separately compiled code. Otherwise the runtime would optimize a shared loop for the
/// types that it saw first; after a figure with one type, its guess would be wrong for seven of eight types.
/// The handlers of the eight kinds are not inlined on either side, because most real handlers are too large to be inlined and the figure measures the
/// call. Without the attribute, the compiler guesses the only handler and moves its addition into the loop of each side. The inlinable
/// handlers have no attribute and measure that.
/// </remarks>
public static class EightKinds
{
    public static MessageDispatcher<TSum> Dispatcher<TSum>(bool trackRunningHandlers = false)
        where TSum : struct, ISum
    {
        var dispatcher = new MessageDispatcher<TSum>(trackRunningHandlers: trackRunningHandlers);
        _ = dispatcher.Register(Contract<Kind0>(0), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind0 message, ref TSum sum) => sum.Add(message.X));
        _ = dispatcher.Register(Contract<Kind1>(1), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind1 message, ref TSum sum) => sum.Add(message.Y));
        _ = dispatcher.Register(Contract<Kind2>(2), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind2 message, ref TSum sum) => sum.Add(message.Z));
        _ = dispatcher.Register(Contract<Kind3>(3), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind3 message, ref TSum sum) => sum.Add(message.X + 1));
        _ = dispatcher.Register(Contract<Kind4>(4), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind4 message, ref TSum sum) => sum.Add(message.Y + 1));
        _ = dispatcher.Register(Contract<Kind5>(5), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind5 message, ref TSum sum) => sum.Add(message.Z + 1));
        _ = dispatcher.Register(Contract<Kind6>(6), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind6 message, ref TSum sum) => sum.Add(message.X + 2));
        _ = dispatcher.Register(Contract<Kind7>(7), [MethodImpl(MethodImplOptions.NoInlining)] static (in Kind7 message, ref TSum sum) => sum.Add(message.Y + 2));
        return dispatcher;
    }

    public static Floors.Handler<TSum>[] Floor<TSum>()
        where TSum : struct, ISum
    {
        var handlers = new Floors.Handler<TSum>[256];
        handlers[Contracts.FirstKind] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.X);
        handlers[Contracts.FirstKind + 1] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.Y);
        handlers[Contracts.FirstKind + 2] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.Z);
        handlers[Contracts.FirstKind + 3] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.X + 1);
        handlers[Contracts.FirstKind + 4] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.Y + 1);
        handlers[Contracts.FirstKind + 5] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.Z + 1);
        handlers[Contracts.FirstKind + 6] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.X + 2);
        handlers[Contracts.FirstKind + 7] = [MethodImpl(MethodImplOptions.NoInlining)] static (in Int3 message, ref TSum sum) => sum.Add(message.Y + 2);
        return handlers;
    }

    /// <summary>One handler that may be inlined.</summary>
    public static MessageDispatcher<TSum> InlinableDispatcher<TSum>()
        where TSum : struct, ISum
    {
        var dispatcher = new MessageDispatcher<TSum>();
        _ = dispatcher.Register(Contract<Kind0>(0), static (in Kind0 message, ref TSum sum) => sum.Add(message.X));
        return dispatcher;
    }

    /// <summary>One handler that may be inlined.</summary>
    public static Floors.Handler<TSum>[] InlinableFloor<TSum>()
        where TSum : struct, ISum
    {
        var handlers = new Floors.Handler<TSum>[256];
        handlers[Contracts.FirstKind] = static (in Int3 message, ref TSum sum) => sum.Add(message.X);
        return handlers;
    }

    private static MessageContract<T> Contract<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] T>(byte kind)
        where T : unmanaged => new((uint)(Contracts.FirstKind + kind), new BlittableSerializer<T>());
}
