using System;
using System.Collections.Generic;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds servers and clients of Reloaded.Messaging to the services of a program.</summary>
/// <remarks>
/// A host starts and stops with the program. Its settings are in the configuration section <c>Messaging:NAME</c>, and are checked when the program starts.
/// Inject <see cref="MessageServer"/> or <see cref="MessageClient"/>, by name with <c>[FromKeyedServices(NAME)]</c> if there is more than one. Services that
/// are created before the program has started inject <see cref="MessageHostAccessor{THost}"/>.
/// </remarks>
public static class MessagingServiceCollectionExtensions
{
    /// <summary>Adds a server. It listens when the program starts, before hosted services that are added later.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name of the server, which is unique among the servers and clients of the program.</param>
    /// <param name="configure">Registers handlers and events before the first client connects.</param>
    /// <returns>The builder, to add handler classes.</returns>
    /// <exception cref="ArgumentException">Thrown when a server or a client has the name.</exception>
    public static MessageHostBuilder AddMessageServer(this IServiceCollection services, string name, Action<MessageServer>? configure = null) =>
        services.AddMessageServer(name, (_, server) => configure?.Invoke(server));

    /// <param name="services">The services.</param>
    /// <param name="name">The name of the server, which is unique among the servers and clients of the program.</param>
    /// <param name="configure">Registers handlers and events before the first client connects. The first argument resolves singletons.</param>
    /// <inheritdoc cref="AddMessageServer(IServiceCollection, string, Action{MessageServer})"/>
    public static MessageHostBuilder AddMessageServer(this IServiceCollection services, string name, Action<IServiceProvider, MessageServer> configure) =>
        Add(services, name, isClient: false, configure, static (accessor, settings, loggers, configure) => new ServerRunner(accessor, settings, loggers, configure));

    /// <summary>Adds a client. It connects when the program starts.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name of the client, which is unique among the servers and clients of the program.</param>
    /// <param name="configure">Registers handlers and events before the client connects.</param>
    /// <returns>The builder, to add handler classes.</returns>
    /// <remarks>With the section <c>Reconnect</c>, the program starts while the client connects in the background. Without it, the program does not start if the client cannot connect.</remarks>
    /// <exception cref="ArgumentException">Thrown when a server or a client has the name.</exception>
    public static MessageHostBuilder AddMessageClient(this IServiceCollection services, string name, Action<MessageClient>? configure = null) =>
        services.AddMessageClient(name, (_, client) => configure?.Invoke(client));

    /// <param name="services">The services.</param>
    /// <param name="name">The name of the client, which is unique among the servers and clients of the program.</param>
    /// <param name="configure">Registers handlers and events before the client connects. The first argument resolves singletons.</param>
    /// <inheritdoc cref="AddMessageClient(IServiceCollection, string, Action{MessageClient})"/>
    public static MessageHostBuilder AddMessageClient(this IServiceCollection services, string name, Action<IServiceProvider, MessageClient> configure) =>
        Add(services, name, isClient: true, configure, static (accessor, settings, loggers, configure) => new ClientRunner(accessor, settings, loggers, configure));

    /// <summary>Adds a health check of all servers and clients of the program.</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="name">The name of the health check (default: <c>message-hosts</c>).</param>
    /// <param name="failureStatus">The status to report when a host is unhealthy (default: <see cref="HealthStatus.Unhealthy"/>).</param>
    /// <param name="tags">The tags of the health check.</param>
    /// <remarks>
    /// Healthy: the server listens, the client is connected. Degraded: the client connects or reconnects, or a pump is not called. Unhealthy: the server does not listen, or
    /// the client has given up.
    /// </remarks>
    public static IHealthChecksBuilder AddMessageHosts(this IHealthChecksBuilder builder, string name = "message-hosts", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(name, static services => new MessageHostsHealthCheck(services.GetServices<IMessageHostHealth>()), failureStatus, tags));
    }

    private static MessageHostBuilder Add<THost>(
        IServiceCollection services,
        string name,
        bool isClient,
        Action<IServiceProvider, THost> configure,
        Func<MessageHostAccessor<THost>, IOptionsMonitor<MessageHostSettings>, ILoggerFactory, Action<THost>, HostRunner<THost>> makeRunner)
        where THost : MessageHost
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(configure);
        foreach (var service in services)
        {
            if (service.ImplementationInstance is MessageHostBuilder other && other.Name == name)
                throw new ArgumentException($"A server or a client has the name '{name}'. Each needs a unique name, because its settings are in the section 'Messaging:{name}'.", nameof(name));
        }

        var builder = new MessageHostBuilder(name, services);
        services.AddSingleton(builder);
        services.AddOptions<MessageHostSettings>(name).ValidateOnStart();
        services.AddSingleton<IConfigureOptions<MessageHostSettings>>(provider => MakeSettings(provider));
        services.AddSingleton<IValidateOptions<MessageHostSettings>>(provider => MakeSettings(provider));
        services.AddKeyedSingleton(name, (_, _) => new MessageHostAccessor<THost>(name));
        services.AddKeyedSingleton(name, (provider, _) => makeRunner(
            provider.GetRequiredKeyedService<MessageHostAccessor<THost>>(name),
            provider.GetRequiredService<IOptionsMonitor<MessageHostSettings>>(),
            provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance,
            host => Configure(provider, host)));
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<HostRunner<THost>>(name));
        services.AddSingleton<IMessageHostHealth>(provider => provider.GetRequiredKeyedService<HostRunner<THost>>(name));
        services.AddKeyedSingleton(name, (provider, _) => provider.GetRequiredKeyedService<MessageHostAccessor<THost>>(name).GetRequired());
        services.AddSingleton(provider => new SingleHost<THost>.Entry(provider.GetRequiredKeyedService<MessageHostAccessor<THost>>(name)));
        services.TryAddSingleton(static provider => SingleHost<THost>.Find(provider));
        services.TryAddSingleton(static provider => SingleHost<THost>.Find(provider).GetRequired());
        return builder;

        ConfigureSettings MakeSettings(IServiceProvider provider) => new(name, isClient, provider.GetService<IConfiguration>());

        void Configure(IServiceProvider provider, THost host)
        {
            builder.RegisterHandlers(provider, host);
            configure(provider, host);
        }
    }
}
