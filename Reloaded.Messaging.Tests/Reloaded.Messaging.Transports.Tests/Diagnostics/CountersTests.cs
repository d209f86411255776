using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Diagnostics;

public sealed class CountersTests
{
    private readonly Counters<DayOfWeek> _counters = new();

    [Fact]
    public void Add_changes_one_count()
    {
        _counters.Add(DayOfWeek.Monday);
        _counters.Add(DayOfWeek.Monday, 4);
        _counters.Add(DayOfWeek.Saturday, long.MaxValue - 5);

        Assert.Equal((0, 5, 0, long.MaxValue - 5), (_counters[DayOfWeek.Sunday], _counters[DayOfWeek.Monday], _counters[DayOfWeek.Tuesday], _counters[DayOfWeek.Saturday]));
        Assert.Equal(long.MaxValue, _counters.Sum());
    }

    [Fact]
    public async Task Add_on_several_threads_counts_every_call()
    {
        await Task.WhenAll(Task.Run(AddAll), Task.Run(AddAll), Task.Run(AddAll)).InTime();

        Assert.Equal((30_000, 60_000), (_counters[DayOfWeek.Sunday], _counters[DayOfWeek.Friday]));

        void AddAll()
        {
            for (var i = 0; i < 10_000; i++)
            {
                _counters.Add(DayOfWeek.Sunday);
                _counters.Add(DayOfWeek.Friday, 2);
            }
        }
    }

    [Fact]
    public void Add_allocates_nothing() => Assert.Equal(0, Allocation.OfThousand(() => _counters.Add(DayOfWeek.Friday)));

    [Fact]
    public void Copy_has_the_counts_of_its_time()
    {
        _counters.Add(DayOfWeek.Monday);

        var copy = _counters.Copy();
        _counters.Add(DayOfWeek.Friday);

        Assert.Equal((1, 0), (copy[DayOfWeek.Monday], copy[DayOfWeek.Friday]));
    }

    [Fact]
    public void All_has_the_members_in_order() => Assert.Equal(Enum.GetValues<DayOfWeek>(), Counters<DayOfWeek>.All);
}
