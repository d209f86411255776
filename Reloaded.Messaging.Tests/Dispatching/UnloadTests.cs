using System;
using System.Diagnostics.Metrics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Runtime.Versioning;
using System.Threading;
using Reloaded.Messaging.Buffers;
using Reloaded.Messaging.Dispatching;
using Reloaded.Messaging.Metrics;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A mod's assembly can be unloaded: nothing in the library refers to it once its handlers are removed.</summary>
[Collection(QuietCollection.Name)]
public sealed class UnloadTests
{
    private const int HandledByTheMod = 5;
    private const int Patience = 1000; // attempts; the first few are enough, but on a machine that is busy
    private readonly MessageDispatcher<int> _dispatcher = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_mod_that_removed_its_handlers_is_collected(bool tracks)
    {
        var dispatcher = new MessageDispatcher<int>(new DispatcherOptions { TrackRunningHandlers = tracks });

        var mod = RunMod(nameof(UnloadableMod.RunAndRemove), dispatcher, HandledByTheMod);

        Assert.True(IsCollected(mod));
        Assert.Equal(DispatchStatus.NoHandler, dispatcher.Dispatch([1]));
    }

    [Fact]
    public void A_meter_listener_keeps_no_mod_loaded()
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

        var mod = RunMod(nameof(UnloadableMod.RunAndRemove), _dispatcher, HandledByTheMod);
        listener.RecordObservableInstruments();

        Assert.NotEqual(0, counted);
        Assert.True(IsCollected(mod));
    }

    [Fact]
    public void A_mod_stays_loaded_while_a_handler_of_it_is_registered()
    {
        var mod = RunMod(nameof(UnloadableMod.RunAndStay), _dispatcher, expected: 0);
        Assert.False(IsCollected(mod, attempts: 20));

        Assert.True(_dispatcher.Remove(6));
        Assert.True(IsCollected(mod));
    }

    [Fact]
    public void Instances_that_a_mod_left_spare_on_a_living_thread_do_not_keep_it_loaded()
    {
        OtherThread.Run(() =>
        {
            var mod = RunModHere(nameof(UnloadableMod.RunAndReturnInstances), _dispatcher, expected: 2);

            Assert.True(IsCollected(mod));
        });
    }

    [Fact]
    public void A_mod_with_a_copy_of_the_library_of_its_own_is_unloaded_where_the_target_knows_unloading()
    {
        var target = typeof(MessagePool).Assembly.GetCustomAttribute<TargetFrameworkAttribute>()!.FrameworkName;

        var unloads = !target.StartsWith(".NETStandard", StringComparison.Ordinal);

        Assert.Equal(unloads, IsCollected(RunAside(RunOwnCopy), attempts: unloads ? Patience : 20));
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

    private static WeakReference RunMod(string method, MessageDispatcher<int> dispatcher, int expected) =>
        RunAside(() => RunModHere(method, dispatcher, expected));

    /// <summary>
    /// Runs what loads a context on a thread that has ended when this returns: whatever its stack holds is gone with it. On the test's own, after a
    /// test that awaited, the runtime sometimes kept for ever even a context that held nothing but an assembly that never ran.
    /// </summary>
    private static WeakReference RunAside(Func<WeakReference> load)
    {
        WeakReference? context = null;
        OtherThread.Run(() => context = load());
        return context!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunModHere(string method, MessageDispatcher<int> dispatcher, int expected)
    {
        // Without an override every reference, the library's too, resolves to the host's own copy; only the mod is loaded twice.
        var context = new AssemblyLoadContext("a mod", isCollectible: true);
        var assembly = context.LoadFromAssemblyPath(typeof(UnloadableMod).Assembly.Location);
        var mod = assembly.GetType(typeof(UnloadableMod).FullName!, throwOnError: true)!;
        Assert.NotSame(typeof(UnloadableMod), mod);

        var run = mod.GetMethod(method, BindingFlags.Public | BindingFlags.Static)!.CreateDelegate<Func<MessageDispatcher<int>, int>>();
        Assert.Equal(expected, run(dispatcher));
        context.Unload();
        return new WeakReference(context, trackResurrection: true);
    }

    private static bool IsCollected(WeakReference context, int attempts = Patience)
    {
        for (var i = 0; i < attempts && context.IsAlive; i++)
        {
            ThreadPool.QueueUserWorkItem(static _ => { }); // a thread may hold what it ran last: let it run something else
            Thread.Sleep(10);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return !context.IsAlive;
    }
}
