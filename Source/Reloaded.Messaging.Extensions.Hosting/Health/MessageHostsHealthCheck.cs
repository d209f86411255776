using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reports the worst health of all hosts. The description and the data contain each host.</summary>
internal sealed class MessageHostsHealthCheck(IEnumerable<IMessageHostHealth> hosts) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var worst = HealthStatus.Healthy;
        var descriptions = new List<string>();
        var data = new Dictionary<string, object>();
        foreach (var host in hosts)
        {
            var health = host.GetHealth();
            if (health.Status < worst)
                worst = health.Status;
            descriptions.Add($"{host.Name}: {health.Description}");
            foreach (var (key, value) in health.Data)
                data[$"{host.Name}.{key}"] = value;
        }

        var status = worst == HealthStatus.Unhealthy ? context.Registration.FailureStatus : worst;
        return Task.FromResult(new HealthCheckResult(status, descriptions.Count == 0 ? "The program has no message host." : string.Join(" ", descriptions), null, data));
    }
}
