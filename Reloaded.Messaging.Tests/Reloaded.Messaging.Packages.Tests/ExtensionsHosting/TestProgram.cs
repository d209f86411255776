using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>Creates programs with a configuration and a recording log.</summary>
internal static class TestProgram
{
    public static HostApplicationBuilder Create(LogRecorder log, params (string Key, string Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        var values = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
        foreach (var (key, value) in settings)
            values[$"Messaging:{key}"] = value;
        builder.Configuration.AddInMemoryCollection(values);
        builder.Logging.AddProvider(log);
        return builder;
    }

    /// <summary>Runs the health checks of a program.</summary>
    public static Task<HealthReport> CheckAsync(this IHost program) => program.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
}
