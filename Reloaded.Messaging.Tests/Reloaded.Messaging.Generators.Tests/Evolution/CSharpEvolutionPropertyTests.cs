using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>C# against C#.</summary>
public sealed class CSharpEvolutionPropertyTests : EvolutionPropertyTests
{
    public static TheoryData<int> AllSeeds => Seeds(Extent.Of(6, 24));

    private protected override IVersionClient Client { get; } = new CSharpVersionClient();

    [Theory]
    [MemberData(nameof(AllSeeds))]
    public Task A_receiver_reads_the_same_meaning_or_refuses(int seed) => CheckAsync(seed);

    private protected override bool IsRefusal(string outcome) => outcome.StartsWith("The request was not sent. The contracts of message type 5", StringComparison.Ordinal);
}
