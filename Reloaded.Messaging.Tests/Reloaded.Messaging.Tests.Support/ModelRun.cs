using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Compares a structure with a naive model over random operations. A failure names the seed, and the last operations.</summary>
public static class ModelRun
{
    private const int Shown = 20;

    /// <summary>Runs the operations of some seeds.</summary>
    /// <param name="seeds">The number of runs in .ci/run. A shorter extent has a fifth of them.</param>
    /// <param name="steps">The operations of each run.</param>
    /// <param name="create">Creates the structure and its model. The returned function does one operation, compares, and returns a text of the operation.</param>
    public static void Compare(int seeds, int steps, Func<Random, Func<string>> create)
    {
        for (var seed = 0; seed < Extent.Of((seeds + 4) / 5, seeds); seed++)
        {
            var done = new Queue<string>();
            try
            {
                var step = create(new Random(seed));
                for (var i = 0; i < steps; i++)
                {
                    done.Enqueue(step());
                    if (done.Count > Shown)
                        done.Dequeue();
                }
            }
            catch (Exception e)
            {
                Assert.Fail($"Seed {seed}, after {string.Join("; ", done)}: {e}");
            }
        }
    }

    /// <summary>A number from 0 to a limit and one more. The ends and what is beside them are as likely as all other numbers together.</summary>
    public static int NextUpTo(this Random random, int limit)
    {
        long[] ends = [0, 1, limit / 2, limit - 1L, limit, limit + 1L];
        return (int)Math.Clamp(random.Next(2) == 0 ? random.Pick(ends) : random.NextInt64(limit + 2L), 0, int.MaxValue);
    }

    /// <summary>An item by chance.</summary>
    public static T Pick<T>(this Random random, IReadOnlyCollection<T> items) => items.ElementAt(random.Next(items.Count));
}
