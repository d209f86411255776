using Reloaded.Messaging.Tests.Support;
using Xunit;

// Compiled into each test project whose classes run beside each other.
[assembly: CollectionBehavior(typeof(ClassCollections))]
