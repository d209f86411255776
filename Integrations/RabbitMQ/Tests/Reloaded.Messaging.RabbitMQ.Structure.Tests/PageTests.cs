using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Pages;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.RabbitMQ;

public sealed class PageTests
{
    [Fact]
    public void Defaults_on_the_pages_are_those_of_the_options()
    {
        var defaults = new PageDefaults(typeof(RabbitHost), typeof(MessageHost));
        var pages = Directory.GetFiles(Path.Combine(RepositoryFolder.FullName, "Integrations", "RabbitMQ", "docs"), "*.md").Select(File.ReadAllText).ToList();

        Assert.Empty(pages.SelectMany(defaults.FindWrong));
        Assert.InRange(pages.Sum(defaults.Count), 4, 100);
    }
}
