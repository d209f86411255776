using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Tests that read what belongs to the whole process: the pool's counts, collections, allocations. They run alone, one by one.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class QuietCollection
{
    public const string Name = "Quiet";
}
