using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>Runs the attack once, for all tests of it.</summary>
public sealed class HostileAttack : IAsyncLifetime
{
    internal static long Inputs { get; } = Extent.Of(200_000L, 200_000L, 1_000_000L, 10_000_000L);

    internal HostileRun[] Runs { get; } = [new(20_240_901), new(77_000_123)];

    public async ValueTask InitializeAsync()
    {
        var share = (Inputs + Runs.Length - 1) / Runs.Length;
        await Task.WhenAll(Array.ConvertAll(Runs, run => Task.Factory.StartNew(
            () =>
            {
                run.WarmUp();
                run.Go(share);
            },
            default,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
    }

    public ValueTask DisposeAsync() => default;

    internal long Sum(Func<HostileRun, long> figure)
    {
        long sum = 0;
        foreach (var run in Runs)
            sum += figure(run);
        return sum;
    }

    internal long CountOf(DispatchStatus status) => Sum(run => run.Statuses[(int)status]);
}
