using System.IO;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Exports;

public sealed class DashboardTests
{
    [Fact]
    public async Task Asyncapi_document_of_the_dashboard_is_that_of_its_schema()
    {
        var folder = Path.Combine(RepositoryFolder.FullName, "Clients", "Dashboard");

        Assert.Equal(
            await Tool.RunAsync("asyncapi", Path.Combine(folder, "contracts.schema.json"), "--title", "the dashboard"),
            await File.ReadAllTextAsync(Path.Combine(folder, "asyncapi.json"), TestContext.Current.CancellationToken));
    }
}
