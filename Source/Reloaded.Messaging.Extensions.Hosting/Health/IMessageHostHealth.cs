using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The health of one host. The health check of <c>AddMessageHosts</c> includes every registered service of this type, so other packages can add their hosts.</summary>
public interface IMessageHostHealth
{
    /// <summary>The name of the host.</summary>
    string Name { get; }

    /// <summary>Returns the current health, with a description and data. Thread-safe. Returns soon.</summary>
    HealthCheckResult GetHealth();
}
