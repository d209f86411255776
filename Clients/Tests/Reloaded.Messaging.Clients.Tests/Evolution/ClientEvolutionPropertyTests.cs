using System;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>C# against a client in another language, in whose process the tests of a class run.</summary>
public abstract class ClientEvolutionPropertyTests : EvolutionPropertyTests
{
    public static TheoryData<int> AllSeeds => Seeds(Extent.Of(4, 4, 12));

    [Theory]
    [MemberData(nameof(AllSeeds))]
    public Task A_receiver_reads_the_same_meaning_or_refuses(int seed) => CheckAsync(seed);

    /// <remarks>A client has no default for a message that never is null, and for a value that a converter makes, because the schema has no initializers.</remarks>
    private protected override bool IsRefusal(string outcome) =>
        outcome.StartsWith("The contracts of message type 5 ", StringComparison.Ordinal) || outcome.EndsWith(" is missing, and has no default.", StringComparison.Ordinal) || outcome.EndsWith(" is missing, and code of .NET computes its default.", StringComparison.Ordinal);
}
