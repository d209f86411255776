using System.Reflection;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

[Quiet]
public sealed class SharedInstancePoolTests
{
    [Fact]
    public void TryRent_of_empty_pool_returns_false()
    {
        Assert.False(new SharedInstancePool<object>(4).TryRent(out var instance));
        Assert.Null(instance);
    }

    [Fact]
    public void Instances_returned_on_another_thread_are_rented_last_first() => Uncollected.Run(() =>
    {
        var pool = new SharedInstancePool<object>(100);
        var instances = new object[40];
        OtherThread.Run(() =>
        {
            for (var i = 0; i < instances.Length; i++)
                pool.Return(instances[i] = new object());
        });

        for (var i = instances.Length - 1; i >= 0; i--)
        {
            Assert.True(pool.TryRent(out var rented));
            Assert.Same(instances[i], rented);
        }

        Assert.False(pool.TryRent(out _));
    });

    [Fact]
    public void Return_to_full_pool_keeps_no_instance() => Uncollected.Run(() =>
    {
        var pool = new SharedInstancePool<object>(capacity: 2);
        var (first, second) = (new object(), new object());
        pool.Return(first);
        pool.Return(second);
        pool.Return(new object());

        Assert.True(pool.TryRent(out var rented));
        Assert.Same(second, rented);
        Assert.True(pool.TryRent(out rented));
        Assert.Same(first, rented);
        Assert.False(pool.TryRent(out _));
    });

    [Fact]
    public void Trim_releases_all_instances() => Uncollected.Run(() =>
    {
        var pool = new SharedInstancePool<object>(4);
        pool.Return(new object());

        MessagePool.Trim();

        Assert.False(pool.TryRent(out _));
        pool.Return(new object()); // and it can be filled again
        Assert.True(pool.TryRent(out _));
    });

    [Fact]
    public void Instance_that_is_rented_and_never_returned_is_collected()
    {
        var pool = new SharedInstancePool<object>(4);
        WeakReference instance;
        do
            instance = ReturnNew(pool);
        while (!TryRent(pool)); // the trim of an earlier collection may be late, and release it

        GC.Collect(); // once: the trim that follows would release the instance too

        Assert.False(instance.IsAlive);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void Instance_that_a_trim_releases_is_collected()
    {
        var pool = new SharedInstancePool<object>(4);
        var instance = ReturnNew(pool);

        MessagePool.Trim();
        GC.Collect();

        Assert.False(instance.IsAlive);
        GC.KeepAlive(pool);
    }

    [Fact]
    public void Pool_that_nothing_refers_to_is_collected()
    {
        var pool = Create();

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.False(pool.TryGetTarget(out _));

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference<SharedInstancePool<object>> Create() => new(new SharedInstancePool<object>(4));
    }

    [Fact]
    public void Pools_that_were_collected_are_forgotten_by_a_trim()
    {
        MessagePool.Trim();
        var before = CountRegistered();
        for (var i = 0; i < 100; i++)
            _ = new SharedInstancePool<object>(1);
        Assert.InRange(CountRegistered(), before + 100, int.MaxValue);

        FullCollection.Run();
        MessagePool.Trim();

        Assert.InRange(CountRegistered(), 0, before + 10); // threads of the runtime may have packed meanwhile

        static int CountRegistered() =>
            ((System.Collections.ICollection)typeof(MessagePool).GetField("s_caches", BindingFlags.Static | BindingFlags.NonPublic)!.GetValue(null)!).Count;
    }

    [Fact]
    public void Capacity_below_one_throws() =>
        Assert.Throws<ArgumentOutOfRangeException>("capacity", () => new SharedInstancePool<object>(0));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool TryRent(SharedInstancePool<object> pool) => pool.TryRent(out _);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ReturnNew(SharedInstancePool<object> pool)
    {
        var instance = new object();
        pool.Return(instance);
        return new WeakReference(instance);
    }
}
