using System;
using System.Linq;
using System.Threading.Tasks;
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

/// <summary>C# against C#.</summary>
public sealed class CSharpEvolutionPropertyTests : EvolutionPropertyTests
{
    public static TheoryData<int> AllSeeds => Seeds(24);

    private protected override IVersionClient Client { get; } = new CSharpVersionClient();

    [Theory]
    [MemberData(nameof(AllSeeds))]
    public Task A_receiver_reads_the_same_meaning_or_refuses(int seed) => CheckAsync(seed);

    private protected override bool IsRefusal(string outcome) => outcome.StartsWith("The request was not sent. The contracts of message type 5", StringComparison.Ordinal);
}

/// <summary>C# against a client in another language, in whose process the tests of a class run.</summary>
public abstract class ClientEvolutionPropertyTests : EvolutionPropertyTests
{
    public static TheoryData<int> AllSeeds => Seeds(12);

    [Theory]
    [MemberData(nameof(AllSeeds))]
    public Task A_receiver_reads_the_same_meaning_or_refuses(int seed) => CheckAsync(seed);

    /// <remarks>A client has no default for a message that never is null, because the schema has no initializers.</remarks>
    private protected override bool IsRefusal(string outcome) =>
        outcome.StartsWith("The contracts of message type 5 ", StringComparison.Ordinal) || outcome.EndsWith(" is missing, and has no default.", StringComparison.Ordinal);
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
