using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.Structure;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.RabbitMQ;

public sealed class PageTests
{
    private const string Architecture = "Integrations/RabbitMQ/docs/rabbitmq-architecture.md";

    [Fact]
    public void Defaults_on_the_pages_are_those_of_the_options()
    {
        var defaults = new PageDefaults(typeof(RabbitHost), typeof(MessageHost));
        var pages = Directory.GetFiles(Path.Combine(RepositoryFolder.FullName, "Integrations", "RabbitMQ", "docs"), "*.md").Select(File.ReadAllText).ToList();

        Assert.Empty(pages.SelectMany(defaults.FindWrong));
        Assert.InRange(pages.Sum(defaults.Count), 3, 100);
    }

    [Fact]
    public void Each_row_about_bounds_and_names_has_tests_that_exist() => HeldTables.Check(Architecture, 4);

    [Fact]
    public void Names_of_queues_and_exchanges_are_on_the_page() => HeldTables.CheckNames(Architecture, "Integrations/RabbitMQ/Source/", @"\$""\{_?scope\}\.([a-z-]+)", 10);

    [Fact]
    public void Page_names_each_lock_of_the_hosts() => new LockTable(Architecture).AssertNamesLocksOf("Reloaded.Messaging.Hosting.RabbitMQ");

    [Fact]
    public void Locks_are_taken_in_no_circle() => new LockTable(Architecture).AssertNoCircle();
}
