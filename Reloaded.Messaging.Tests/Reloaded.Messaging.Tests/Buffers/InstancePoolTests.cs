using System.Runtime.CompilerServices;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>Each test on a thread of its own, which has nothing spare.</summary>
[Quiet]
public sealed class InstancePoolTests
{
    [Fact]
    public void A_thread_that_returned_nothing_rents_nothing() => OtherThread.Run(() =>
    {
        Assert.False(InstancePool<Message>.TryRent(out var instance));
        Assert.Null(instance);
    });

    [Fact]
    public void The_instance_returned_last_is_rented_first() => Uncollected.Run(() =>
    {
        var instances = ReturnNew(40);

        for (var i = instances.Length - 1; i >= 0; i--)
        {
            Assert.True(InstancePool<Message>.TryRent(out var rented));
            Assert.Same(instances[i], rented);
        }

        Assert.False(InstancePool<Message>.TryRent(out _));
    });

    [Fact]
    public void A_derived_type_has_a_pool_of_its_own() => Uncollected.Run(() =>
    {
        InstancePool<Message>.Return(new DerivedMessage());

        Assert.False(InstancePool<DerivedMessage>.TryRent(out _));
        Assert.True(InstancePool<Message>.TryRent(out var rented));
        Assert.IsType<DerivedMessage>(rented);
    });

    [Fact]
    public void An_instance_returned_on_another_thread_stays_there() => Uncollected.Run(() =>
    {
        ReturnNew(1);
        Assert.True(InstancePool<Message>.TryRent(out var instance));

        OtherThread.Run(() =>
        {
            InstancePool<Message>.Return(instance);
            Assert.True(InstancePool<Message>.TryRent(out var rented));
            Assert.Same(instance, rented);
        });

        Assert.Equal(0, InstancePool<Message>.Spare);
    });

    [Fact]
    public void A_thread_keeps_no_more_instances_than_its_bound() => Uncollected.Run(() =>
    {
        ReturnNew(InstanceStack<Message>.MaxSpare + 500);

        Assert.Equal(1024, InstancePool<Message>.Spare);
    });

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(20)]
    public void An_instance_returned_twice_throws_and_is_rented_once(int returnedInBetween) => Uncollected.Run(() =>
    {
        var instance = ReturnNew(1)[0];
        ReturnNew(returnedInBetween);

        var exception = Assert.Throws<InvalidOperationException>(() => InstancePool<Message>.Return(instance));

        Assert.Contains(typeof(Message).FullName!, exception.Message, StringComparison.Ordinal);
        Assert.Equal(returnedInBetween + 1, InstancePool<Message>.Spare);
    });

    [Fact]
    public void Null_is_not_taken() => Assert.Throws<ArgumentNullException>(() => InstancePool<Message>.Return(null!));

    [Fact]
    public void A_trim_on_another_thread_lets_all_instances_go() => Uncollected.Run(() =>
    {
        ReturnNew(40);

        OtherThread.Run(MessagePool.Trim);

        Assert.Equal(0, InstancePool<Message>.Spare);
        Assert.False(InstancePool<Message>.TryRent(out _));
    });

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(16)]
    [InlineData(1024)]
    public void After_a_trim_instances_are_kept_as_before(int spareBefore) => Uncollected.Run(() =>
    {
        ReturnNew(spareBefore);
        MessagePool.Trim();

        var instances = ReturnNew(20);

        Assert.Equal(20, InstancePool<Message>.Spare);
        Assert.Equal(instances.Length, new HashSet<Message>(RentAll()).Count);
        Assert.Equal(0, InstancePool<Message>.Spare);
    });

    [Fact]
    public void A_full_collection_lets_all_instances_go() => OtherThread.Run(() =>
    {
        Uncollected.Here(static () =>
        {
            ReturnNew(40);
            Assert.Equal(40, InstancePool<Message>.Spare);
        });

        FullCollection.Run();

        Assert.Equal(0, InstancePool<Message>.Spare);
    });

    [Fact]
    public void A_threads_end_lets_its_instances_go()
    {
        var instance = ReturnOnAThreadThatEnds();

        GC.Collect(); // once: the trim that follows would let it go too

        Assert.False(instance.IsAlive);
        GC.WaitForPendingFinalizers(); // or that trim would empty the next test's pools
    }

    [Fact]
    public void A_rented_instance_that_is_never_returned_is_collected() => OtherThread.Run(() =>
    {
        var instance = ReturnRentAndLose();

        GC.Collect(); // once: the trim that follows would let it go too

        Assert.False(instance.IsAlive);
        GC.WaitForPendingFinalizers(); // or that trim would empty the next test's pools
    });

    [Fact]
    public void Trims_in_the_middle_of_it_never_have_an_instance_rented_twice()
    {
        var stop = 0;
        var trims = 0;
        var owner = OtherThread.Start(() =>
        {
            var held = new Message[40];
            try
            {
                for (var round = 0; round < 20_000 || Volatile.Read(ref trims) < 100; round++)
                {
                    for (var i = 0; i < held.Length; i++)
                    {
                        var instance = InstancePool<Message>.TryRent(out var rented) ? rented : new Message();
                        Assert.False(instance.IsHeld, "An instance was rented twice.");
                        instance.IsHeld = true;
                        held[i] = instance;
                    }

                    foreach (var instance in held)
                    {
                        instance.IsHeld = false;
                        InstancePool<Message>.Return(instance);
                    }
                }
            }
            finally
            {
                Volatile.Write(ref stop, 1);
            }
        });

        while (Volatile.Read(ref stop) == 0)
        {
            MessagePool.Trim();
            Interlocked.Increment(ref trims);
        }

        OtherThread.Join(owner);
    }

    [Fact]
    public void Renting_and_returning_allocates_nothing() => OtherThread.Run(() =>
    {
        ReturnNew(2);

        Assert.Equal(0, Allocation.OfThousand(static () =>
        {
            var first = InstancePool<Message>.TryRent(out var one) ? one : new Message();
            var second = InstancePool<Message>.TryRent(out var two) ? two : new Message();
            InstancePool<Message>.Return(first);
            InstancePool<Message>.Return(second);
        }));
    });

    private static Message[] ReturnNew(int count)
    {
        var instances = new Message[count];
        for (var i = 0; i < count; i++)
            InstancePool<Message>.Return(instances[i] = new Message());
        return instances;
    }

    private static List<Message> RentAll()
    {
        var instances = new List<Message>();
        while (InstancePool<Message>.TryRent(out var instance))
            instances.Add(instance);
        return instances;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ReturnRentAndLose()
    {
        ReturnNew(3);
        Assert.True(InstancePool<Message>.TryRent(out var instance));
        return new WeakReference(instance);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference ReturnOnAThreadThatEnds()
    {
        WeakReference? instance = null;
        OtherThread.Run(() => instance = new WeakReference(ReturnNew(3)[0]));
        return instance!;
    }

    private class Message
    {
        public bool IsHeld { get; set; }
    }

    private sealed class DerivedMessage : Message;
}
