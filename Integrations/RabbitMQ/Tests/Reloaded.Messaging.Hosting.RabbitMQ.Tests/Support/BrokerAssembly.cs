using Reloaded.Messaging.Tests.Support;
using Xunit;

[assembly: AssemblyFixture(typeof(BrokerFixture))]
[assembly: CollectionBehavior(MaxParallelThreads = 3)] // most of the time, the tests wait
