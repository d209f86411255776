using System.Linq;
using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Buffers;

/// <summary>The pools of objects behave as a list whose last item is taken first, with a limit.</summary>
[Quiet]
public sealed class InstancePoolModelTests
{
    [Fact]
    public void InstanceStack_is_a_list_with_a_limit()
    {
        ModelRun.Compare(40, 400, static random =>
        {
            var (stack, model, other) = (new InstanceStack<object>(), new List<object>(), new List<object>());
            return () =>
            {
                var count = random.Next(3) == 0 ? random.NextUpTo(InstanceStack<object>.MaxSpare) : random.Next(1, 20);
                switch (random.Next(12))
                {
                    case 0:
                        stack.Trim();
                        other.AddRange(model);
                        model.Clear();
                        break;
                    case 1 when model.Count > 0:
                        Assert.Throws<InvalidOperationException>(() => stack.Push(random.Pick(model)));
                        break;
                    case < 7:
                        for (var i = 0; i < count; i++)
                        {
                            var pushed = other.Count > 0 ? other[^1] : new object();
                            other.Remove(pushed);
                            stack.Push(pushed);
                            (model.Count < InstanceStack<object>.MaxSpare ? model : other).Add(pushed);
                            if (model.Count == InstanceStack<object>.MaxSpare)
                                break;
                        }

                        break;
                    default:
                        for (var i = 0; i < count; i++)
                        {
                            var expected = model.LastOrDefault();
                            Assert.Same(expected, stack.Pop());
                            if (expected is null)
                                break;
                            model.RemoveAt(model.Count - 1);
                            other.Add(expected);
                        }

                        break;
                }

                Assert.Equal(model.Count, stack.Count);
                return $"{model.Count} objects";
            };
        });
    }

    [Fact]
    public void SharedInstancePool_is_a_list_with_a_limit() => Uncollected.Run(static () =>
    {
        var objects = Enumerable.Range(0, 50).Select(static _ => new object()).ToArray();
        ModelRun.Compare(60, 300, random =>
        {
            var capacity = random.Pick([1, 2, 15, 16, 17, 33, 49]);
            var (pool, model) = (new SharedInstancePool<object>(capacity), new List<object>());
            return () =>
            {
                for (var i = random.NextUpTo(capacity); i >= 0; i--)
                {
                    var returned = objects.First(one => !model.Contains(one));
                    pool.Return(returned);
                    if (model.Count < capacity)
                        model.Add(returned);
                }

                if (random.Next(10) == 0)
                {
                    MessagePool.Trim();
                    model.Clear();
                }

                for (var i = random.NextUpTo(capacity); i >= 0; i--)
                {
                    Assert.Equal(model.Count > 0, pool.TryRent(out var rented));
                    Assert.Same(model.LastOrDefault(), rented);
                    if (model.Count > 0)
                        model.RemoveAt(model.Count - 1);
                }

                return "";
            };
        });
    });

    [Fact]
    public void SharedInstancePool_gives_an_object_to_one_thread_at_a_time()
    {
        var pool = new SharedInstancePool<StrongHolder>(8);
        var threads = Enumerable.Range(0, 4).Select(_ => OtherThread.Start(() =>
        {
            for (var i = 0; i < 50_000; i++)
            {
                var rented = pool.TryRent(out var spare) ? spare : new StrongHolder();
                Assert.Equal(1, Interlocked.Increment(ref rented.Holders));
                Interlocked.Decrement(ref rented.Holders);
                pool.Return(rented);
                if (i % 1000 == 0)
                    MessagePool.Trim();
            }
        })).ToArray();

        Array.ForEach(threads, OtherThread.Join);
    }

    private sealed class StrongHolder
    {
        public int Holders;
    }
}
