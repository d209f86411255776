using Reloaded.Messaging.Tests.Structure;
using Xunit;

namespace Reloaded.Messaging.Tests.RabbitMQ;

/// <summary>The folders of a project depend on each other in one direction.</summary>
public sealed class FolderTests(ITestOutputHelper output)
{
    public static TheoryData<SourceProject> Projects =>
    [
        new SourceProject(
            "Reloaded.Messaging.Extensions.Hosting.RabbitMQ",
            "Reloaded.Messaging",
            "Reloaded.Messaging.Transports",
            "Reloaded.Messaging.Extensions.Hosting",
            "Reloaded.Messaging.Hosting",
            "Reloaded.Messaging.Hosting.RabbitMQ",
            "RabbitMQ.Client",
            "System.Threading.RateLimiting",
            "Microsoft.Extensions.Configuration.Abstractions",
            "Microsoft.Extensions.DependencyInjection.Abstractions",
            "Microsoft.Extensions.Diagnostics.HealthChecks",
            "Microsoft.Extensions.Diagnostics.HealthChecks.Abstractions",
            "Microsoft.Extensions.Hosting.Abstractions",
            "Microsoft.Extensions.Logging.Abstractions",
            "Microsoft.Extensions.Options",
            "Microsoft.Extensions.Primitives"),
        new SourceProject("Reloaded.Messaging.Hosting.RabbitMQ", "Reloaded.Messaging", "Reloaded.Messaging.Hosting", "RabbitMQ.Client", "System.Threading.RateLimiting"),
    ];

    [Theory]
    [MemberData(nameof(Projects), DisableDiscoveryEnumeration = true)]
    public void Folders_of_project_form_no_circle(SourceProject project) => FolderAssert.HasNoCircle(project, output);
}
