using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The tests that end all connections of a broker, or change its settings. They share a broker of their own, one test at a time.</summary>
[CollectionDefinition(Name)]
public sealed class DisturbedBroker : ICollectionFixture<BrokerFixture>
{
    public const string Name = "A disturbed broker";
}
