using System;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>Two random versions of a contract between a C# server and a client in another language, as in <see cref="EvolutionPropertyTests"/>.</summary>
public abstract class ClientEvolutionPropertyTests
{
    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 12), Environment.TickCount & 0xFFFFFF];

    private protected abstract IVersionClient Client { get; }

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task A_receiver_reads_the_same_meaning_or_refuses(int seed)
    {
        Client.Require();
        var random = new Random(seed);
        var before = RandomContract.Create(random);
        var after = before.Change(random);
        if (random.Next(3) == 0)
            after = after.Change(random);
        var (old, now) = (Load(before), Load(after));

        Assert.Equal((seed, before.Expect(before)), (seed, await Client.AskAsync(old, old)));
        Check(await Client.SendAsync(old, now), after.Expect(before));
        Check(await Client.SendAsync(now, old), before.Expect(after));
        Check(await Client.AskAsync(old, now), before.Expect(after));
        Check(await Client.AskAsync(now, old), after.Expect(before));

        void Check(string outcome, string expected)
        {
            // A client has no default for a message that never is null, because the schema has no initializers.
            if (!outcome.StartsWith("The contracts of message type 5 ", StringComparison.Ordinal) && !outcome.EndsWith(" is missing, and has no default.", StringComparison.Ordinal))
                Assert.Equal((seed, expected), (seed, outcome));
        }
    }

    private static ContractVersion Load(RandomContract contract) => ContractVersion.Load(contract.Source(), contract.Value(), contract.Show());
}

/// <summary>C# against the Python client.</summary>
public sealed class PythonEvolutionPropertyTests : ClientEvolutionPropertyTests, IClassFixture<PythonEvolutionTests.Fixture>
{
    public PythonEvolutionPropertyTests(PythonEvolutionTests.Fixture fixture)
    {
        ArgumentNullException.ThrowIfNull(fixture);
        Client = fixture.Client;
    }

    private protected override IVersionClient Client { get; }
}

/// <summary>C# against the JavaScript client.</summary>
public sealed class JavaScriptEvolutionPropertyTests : ClientEvolutionPropertyTests, IClassFixture<JavaScriptEvolutionTests.Fixture>
{
    public JavaScriptEvolutionPropertyTests(JavaScriptEvolutionTests.Fixture fixture)
    {
        ArgumentNullException.ThrowIfNull(fixture);
        Client = fixture.Client;
    }

    private protected override IVersionClient Client { get; }
}
