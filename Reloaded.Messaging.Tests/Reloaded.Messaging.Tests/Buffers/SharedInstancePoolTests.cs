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
    public void Capacity_below_one_throws() =>
        Assert.Throws<ArgumentOutOfRangeException>("capacity", () => new SharedInstancePool<object>(0));
}
