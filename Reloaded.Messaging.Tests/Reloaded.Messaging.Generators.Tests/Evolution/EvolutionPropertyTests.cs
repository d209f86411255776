using System;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>Two random versions of a contract: a receiver shows what the page promises, by the names of the fields, or both sides are told what differs. No value has another meaning.</summary>
public sealed class EvolutionPropertyTests
{
    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 24), Environment.TickCount & 0xFFFFFF];

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task A_receiver_reads_the_same_meaning_or_refuses(int seed)
    {
        var random = new Random(seed);
        var before = RandomContract.Create(random);
        var after = before.Change(random);
        if (random.Next(3) == 0)
            after = after.Change(random);
        var (old, now) = (Load(before), Load(after));

        Assert.Equal(before.Expect(before), old.Own);
        Check(await old.SendAsync(now), after.Expect(before));
        Check(await now.SendAsync(old), before.Expect(after));
        Check(await old.AskAsync(now), before.Expect(after));
        Check(await now.AskAsync(old), after.Expect(before));

        void Check(string outcome, string expected)
        {
            if (!outcome.StartsWith("The request was not sent. The contracts of message type 5", StringComparison.Ordinal))
                Assert.Equal((seed, expected), (seed, outcome));
        }
    }

    private static ContractVersion Load(RandomContract contract) => ContractVersion.Load(contract.Source(), contract.Value(), contract.Show());
}
