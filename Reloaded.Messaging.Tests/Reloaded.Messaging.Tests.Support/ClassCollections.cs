using Xunit;
using Xunit.v3;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A collection for each class, the quiet ones too: xUnit.net takes an order of collections, and has an order of its own for the classes of one.</summary>
public sealed class ClassCollections(IXunitTestAssembly testAssembly) : CollectionPerClassTestCollectionFactory(testAssembly)
{
    protected override IXunitTestCollection GetDefaultTestCollection(Type testClass) => new XunitTestCollection(
        TestAssembly,
        collectionDefinition: null,
        disableParallelization: testClass.IsDefined(typeof(QuietAttribute), inherit: false),
        CollectionAttribute.GetCollectionNameForType(testClass));
}
