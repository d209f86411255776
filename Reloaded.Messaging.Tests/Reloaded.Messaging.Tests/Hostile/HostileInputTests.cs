using Xunit;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>What a receiver makes of messages from a bad peer. The attack itself fails when an exception escapes or a handler is called wrongly.</summary>
public sealed class HostileInputTests(HostileAttack attack, ITestOutputHelper output) : IClassFixture<HostileAttack>
{
    // A payload is rented at its size after decompression, and a string of it takes twice that; an exception and its trace take the rest.
    private const long MostPerInput = (3 * HostileTargets.MaxDecompressedSize) + (8 * 1024);

    [Fact]
    public void Every_hostile_input_gets_exactly_one_status()
    {
        long sum = 0;
        foreach (var status in Enum.GetValues<DispatchStatus>())
        {
            output.WriteLine($"{status,-18}{attack.CountOf(status),12}");
            sum += attack.CountOf(status);
        }

        output.WriteLine($"{"inputs",-18}{attack.Sum(run => run.Inputs),12}");
        output.WriteLine($"{"deserialized",-18}{attack.Sum(run => run.Reads),12}");
        Assert.Equal(attack.Sum(run => run.Inputs), sum);
        Assert.InRange(sum, HostileAttack.Inputs, HostileAttack.Inputs + attack.Runs.Length);
    }

    [Fact]
    public void The_dispatcher_counts_what_it_refuses_and_nothing_else()
    {
        foreach (var run in attack.Runs)
        {
            foreach (var status in Enum.GetValues<DispatchStatus>())
            {
                if (status != DispatchStatus.Handled)
                    Assert.Equal(run.Statuses[(int)status], run.CountOf(status));
            }
        }
    }

    [Fact]
    public void Hostile_input_reaches_every_status()
    {
        foreach (var status in Enum.GetValues<DispatchStatus>())
            Assert.True(attack.CountOf(status) > 0, $"No input is {status}.");
    }

    [Fact]
    public void A_fifth_of_the_hostile_input_reaches_a_deserializer()
    {
        Assert.True(
            attack.Sum(run => run.Reads) * 5 >= attack.Sum(run => run.Inputs),
            $"{attack.Sum(run => run.Reads)} of {attack.Sum(run => run.Inputs)} do.");
    }

    [Fact]
    public void No_hostile_input_allocates_more_than_the_limits_allow()
    {
        foreach (var run in attack.Runs)
        {
            output.WriteLine($"at most {run.MostAllocated} B");
            Assert.True(run.MostAllocated <= MostPerInput, $"{run.MostAllocated} B for {run.MostAllocatedInput}");
        }
    }
}
