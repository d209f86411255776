namespace Reloaded.Messaging.Tests.Evolution;

/// <summary>C# against C#.</summary>
public sealed class CSharpEvolutionTests : EvolutionMatrixTests
{
    private protected override IVersionClient Client { get; } = new CSharpVersionClient();
}
