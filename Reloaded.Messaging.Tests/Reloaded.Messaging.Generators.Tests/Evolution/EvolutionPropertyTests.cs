using System.Linq;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>Two random versions of a contract: a receiver shows what the page promises, by the names of the fields, or both sides are told what differs. No value has another meaning.</summary>
public abstract class EvolutionPropertyTests
{
    private protected abstract IVersionClient Client { get; }

    /// <summary>Returns whether an outcome is one of the errors that the page promises.</summary>
    private protected abstract bool IsRefusal(string outcome);

    private protected static TheoryData<int> Seeds(int count) => [.. Enumerable.Range(1, count), Environment.TickCount & 0xFFFFFF];

    private protected async Task CheckAsync(int seed)
    {
        Client.Require();
        var random = new Random(seed);
        var before = RandomContract.Create(random);
        var after = before.Change(random);
        if (random.Next(3) == 0)
            after = after.Change(random);
        var (old, now) = (Load(before), Load(after));

        Assert.Equal((seed, before.Expect(before)), (seed, old.Own));
        Assert.Equal((seed, before.Expect(before)), (seed, await Client.AskAsync(old, old)));
        Check(await Client.SendAsync(old, now), after.Expect(before));
        Check(await Client.SendAsync(now, old), before.Expect(after));
        Check(await Client.AskAsync(old, now), before.Expect(after));
        Check(await Client.AskAsync(now, old), after.Expect(before));

        void Check(string outcome, string expected)
        {
            if (!IsRefusal(outcome))
                Assert.Equal((seed, expected), (seed, outcome));
        }
    }

    private static ContractVersion Load(RandomContract contract) => ContractVersion.Load(contract.Source(), contract.Value(), contract.Show());
}
