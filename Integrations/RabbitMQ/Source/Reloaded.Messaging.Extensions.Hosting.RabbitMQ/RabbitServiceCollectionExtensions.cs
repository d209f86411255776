using System;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds hosts over RabbitMQ to the services of a program.</summary>
/// <remarks>
/// A host starts and stops with the program. Its settings are in the configuration section <c>Messaging:NAME</c>, and are checked when the program starts.
/// Inject <see cref="RabbitHost"/>, by name with <c>[FromKeyedServices(NAME)]</c> if there is more than one. Services that are created before the program has
/// started inject <see cref="MessageHostAccessor{THost}"/>. The health check of <c>AddMessageHosts</c> includes the host.
/// </remarks>
public static class RabbitServiceCollectionExtensions
{
    /// <summary>Adds a host over RabbitMQ. The program starts at once, and the host connects in the background, without a time limit.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name of the host, which is unique among the hosts of the program. It is also the default of <see cref="RabbitOptions.Name"/>.</param>
    /// <param name="configure">Registers handlers and events before the host connects.</param>
    /// <returns>The builder, to add handler classes.</returns>
    /// <exception cref="ArgumentException">Thrown when a host has the name.</exception>
    public static RabbitHostBuilder AddRabbitHost(this IServiceCollection services, string name, Action<RabbitHost>? configure = null) =>
        services.AddRabbitHost(name, (_, host) => configure?.Invoke(host));

    /// <param name="services">The services.</param>
    /// <param name="name">The name of the host, which is unique among the hosts of the program. It is also the default of <see cref="RabbitOptions.Name"/>.</param>
    /// <param name="configure">Registers handlers and events before the host connects. The first argument resolves singletons.</param>
    /// <inheritdoc cref="AddRabbitHost(IServiceCollection, string, Action{RabbitHost})"/>
    public static RabbitHostBuilder AddRabbitHost(this IServiceCollection services, string name, Action<IServiceProvider, RabbitHost> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        var builder = new RabbitHostBuilder(name, services);
        services.AddMessageHost(name, provider => new RabbitHostRunner(
            name,
            provider.GetRequiredService<IOptionsMonitor<RabbitHostSettings>>(),
            provider.GetService<ILoggerFactory>(),
            provider.GetService<TimeProvider>() ?? TimeProvider.System,
            host => builder.Prepare(provider, host, configure)));
        ConfigureSettings<RabbitHostSettings>.AddTo(services, name, (section, settings) => RabbitSettings.Read(name, section, settings), settings => settings.FindError(name));
        return builder;
    }
}
