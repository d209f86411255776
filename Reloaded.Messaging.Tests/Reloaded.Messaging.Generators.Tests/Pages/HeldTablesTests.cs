using System.Reflection;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The tables whose last column names the tests of each row.</summary>
public sealed class HeldTablesTests
{
    [Theory]
    [InlineData("docs/security.md", 10)]
    [InlineData("docs/internals/names.md", 15)]
    [InlineData("docs/internals/bounds.md", 30)]
    [InlineData("docs/internals/ambient.md", 6)]
    public void Each_row_names_tests_that_exist_or_a_reason(string page, int least) => HeldTables.Check(page, least);

    [Fact]
    public void Bounds_name_each_limit_of_a_host()
    {
        var page = HeldTables.Read("docs/internals/bounds.md");

        Assert.All(
            typeof(HostLimits).GetProperties(BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly),
            limit => Assert.Contains($"`{limit.Name}`", page, StringComparison.Ordinal));
    }
}
