using System.Linq;
using System.Security.Cryptography;
using System.Text;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The order of the tests: by name, so that a run that failed can be repeated anywhere. Without it the order depends on the assembly's path.</summary>
/// <remarks>To look for tests that depend on the order, set RELOADED_MESSAGING_TEST_ORDER to any text: each text is another order.</remarks>
public sealed class TestOrder : ITestCollectionOrderer, ITestCaseOrderer
{
    private static readonly string? s_seed = Environment.GetEnvironmentVariable("RELOADED_MESSAGING_TEST_ORDER");

    public IReadOnlyCollection<TTestCollection> OrderTestCollections<TTestCollection>(IReadOnlyCollection<TTestCollection> testCollections)
        where TTestCollection : ITestCollection =>
        [.. testCollections.OrderBy(static collection => Key(collection.TestCollectionDisplayName.Split(" (id:")[0]), StringComparer.Ordinal)];

    public IReadOnlyCollection<TTestCase> OrderTestCases<TTestCase>(IReadOnlyCollection<TTestCase> testCases)
        where TTestCase : notnull, ITestCase =>
        [.. testCases.OrderBy(static test => Key(test.TestCaseDisplayName), StringComparer.Ordinal)];

    private static string Key(string name) =>
        string.IsNullOrEmpty(s_seed) ? name : Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(s_seed + name)));
}
