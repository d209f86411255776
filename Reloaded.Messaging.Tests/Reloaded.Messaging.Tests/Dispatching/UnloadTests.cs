using System.Diagnostics.Metrics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Runtime.Versioning;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A mod's assembly can be unloaded: nothing in the library refers to it once its handlers are removed.</summary>
[Quiet]
public sealed class UnloadTests
{
    private const int HandledByTheMod = 5;
    private readonly MessageDispatcher<int> _dispatcher = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_mod_that_removed_its_handlers_is_collected(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(trackRunningHandlers: tracks);

        var mod = await RunModAsync(nameof(UnloadableMod.RunAndRemove), dispatcher, HandledByTheMod);

        Assert.True(await UnloadedContext.IsCollectedAsync(mod));
        Assert.Equal(DispatchStatus.NoHandler, dispatcher.Dispatch([1]));
    }

#if !NET9_0 // the netstandard2.1 build has no meter
    [Fact]
    public async Task A_meter_listener_keeps_no_mod_loaded()
    {
        var counted = 0L;
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, self) =>
        {
            if (instrument.Meter.Name == MessagingMetrics.MeterName)
                self.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((_, measurement, _, _) => counted += measurement);
        listener.Start();
        listener.RecordObservableInstruments();

        var mod = await RunModAsync(nameof(UnloadableMod.RunAndRemove), _dispatcher, HandledByTheMod);
        listener.RecordObservableInstruments();

        Assert.NotEqual(0, counted);
        Assert.True(await UnloadedContext.IsCollectedAsync(mod));
    }
#endif

    [Fact]
    public async Task A_mod_stays_loaded_while_a_handler_of_it_is_registered()
    {
        var mod = await RunModAsync(nameof(UnloadableMod.RunAndStay), _dispatcher, expected: 0);
        Assert.False(await UnloadedContext.IsCollectedAsync(mod, attempts: 20));

        Assert.True(_dispatcher.Remove(6));
        Assert.True(await UnloadedContext.IsCollectedAsync(mod));
    }

    [Fact]
    public async Task Instances_that_a_mod_left_spare_on_a_living_thread_do_not_keep_it_loaded()
    {
        var loaded = new TaskCompletionSource<WeakReference>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var leave = new ManualResetEventSlim();
        var living = Deadline.RunAside(() =>
        {
            loaded.SetResult(RunMod(nameof(UnloadableMod.RunAndReturnInstances), _dispatcher, expected: 2));
            leave.WaitInTime();
        });

        Assert.True(await UnloadedContext.IsCollectedAsync(await loaded.Task.InTime()));
        Assert.False(living.IsCompleted);
        leave.Set();
        await living.InTime();
    }

    [Fact]
    public async Task A_mod_with_a_copy_of_the_library_of_its_own_is_unloaded_where_the_target_knows_unloading()
    {
        var target = typeof(MessagePool).Assembly.GetCustomAttribute<TargetFrameworkAttribute>()!.FrameworkName;
        var unloads = !target.StartsWith(".NETStandard", StringComparison.Ordinal);

        var copy = await Deadline.RunAside(RunOwnCopy);

        Assert.Equal(unloads, await UnloadedContext.IsCollectedAsync(copy, unloads ? UnloadedContext.Patience : 20));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunOwnCopy()
    {
        var context = new AssemblyLoadContext("a mod with its own copy", isCollectible: true);
        var copy = context.LoadFromAssemblyPath(typeof(MessagePool).Assembly.Location);
        var pool = copy.GetType(typeof(MessagePool).FullName!, throwOnError: true)!;
        Assert.NotSame(typeof(MessagePool), pool);

        var statistics = pool.GetMethod(nameof(MessagePool.GetStatistics))!.Invoke(null, null)!;
        Assert.NotSame(typeof(PoolStatistics), statistics.GetType());
        context.Unload();
        return new WeakReference(context, trackResurrection: true);
    }

    /// <summary>Runs a mod on a thread that then ends: whatever its stack held is gone with it.</summary>
    private static Task<WeakReference> RunModAsync(string method, MessageDispatcher<int> dispatcher, int expected) =>
        Deadline.RunAside(() => RunMod(method, dispatcher, expected));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunMod(string method, MessageDispatcher<int> dispatcher, int expected)
    {
        // Without an override every reference, the library's too, resolves to the host's own copy; only the mod is loaded twice.
        var context = new AssemblyLoadContext("a mod", isCollectible: true);
        var run = UnloadedContext.LoadAgain<Func<MessageDispatcher<int>, int>>(context, typeof(UnloadableMod), method);
        Assert.Equal(expected, run(dispatcher));
        context.Unload();
        return new WeakReference(context, trackResurrection: true);
    }
}
