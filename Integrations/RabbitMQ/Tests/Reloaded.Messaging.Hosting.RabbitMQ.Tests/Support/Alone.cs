using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The tests that read what all hosts of the process count. They do not run beside other tests.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class Alone
{
    public const string Name = "Alone";
}
