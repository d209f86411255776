using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
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
    /// <param name="name">The name of the server, which is unique among the hosts of the program.</param>
    /// <param name="configure">Registers handlers and events before the first client connects.</param>
    /// <returns>The builder, to add handler classes.</returns>
    /// <exception cref="ArgumentException">Thrown when a host has the name.</exception>
    public static MessageHostBuilder AddMessageServer(this IServiceCollection services, string name, Action<MessageServer>? configure = null) =>
        services.AddMessageServer(name, (_, server) => configure?.Invoke(server));

    /// <param name="services">The services.</param>
    /// <param name="name">The name of the server, which is unique among the hosts of the program.</param>
    /// <param name="configure">Registers handlers and events before the first client connects. The first argument resolves singletons.</param>
    /// <inheritdoc cref="AddMessageServer(IServiceCollection, string, Action{MessageServer})"/>
    public static MessageHostBuilder AddMessageServer(this IServiceCollection services, string name, Action<IServiceProvider, MessageServer> configure) =>
        Add(services, name, isClient: false, configure, (settings, loggers, configure) => new ServerRunner(name, settings, loggers, configure));

    /// <summary>Adds a client. It connects when the program starts.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name of the client, which is unique among the hosts of the program.</param>
    /// <param name="configure">Registers handlers and events before the client connects.</param>
    /// <returns>The builder, to add handler classes.</returns>
    /// <remarks>With the section <c>Reconnect</c>, the program starts while the client connects in the background. Without it, the program does not start if the client cannot connect.</remarks>
    /// <exception cref="ArgumentException">Thrown when a host has the name.</exception>
    public static MessageHostBuilder AddMessageClient(this IServiceCollection services, string name, Action<MessageClient>? configure = null) =>
        services.AddMessageClient(name, (_, client) => configure?.Invoke(client));

    /// <param name="services">The services.</param>
    /// <param name="name">The name of the client, which is unique among the hosts of the program.</param>
    /// <param name="configure">Registers handlers and events before the client connects. The first argument resolves singletons.</param>
    /// <inheritdoc cref="AddMessageClient(IServiceCollection, string, Action{MessageClient})"/>
    public static MessageHostBuilder AddMessageClient(this IServiceCollection services, string name, Action<IServiceProvider, MessageClient> configure) =>
        Add(services, name, isClient: true, configure, (settings, loggers, configure) => new ClientRunner(name, settings, loggers, configure));

    /// <summary>Adds a host of another kind. It starts and stops with the program, is part of the health check, and is injected by <typeparamref name="THost"/> or <see cref="MessageHostAccessor{THost}"/>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The name of the host, which is unique among the hosts of the program.</param>
    /// <param name="create">Creates the runner. Called once, before the program starts.</param>
    /// <returns>The services.</returns>
    /// <exception cref="ArgumentException">Thrown when a host has the name.</exception>
    public static IServiceCollection AddMessageHost<THost>(this IServiceCollection services, string name, Func<IServiceProvider, HostRunner<THost>> create)
        where THost : class, IAsyncDisposable
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(create);
        foreach (var service in services)
        {
            if (service.ServiceType == typeof(IMessageHostHealth) && service.IsKeyedService && Equals(service.ServiceKey, name))
                throw new ArgumentException($"A host has the name '{name}'. Each needs a unique name, because its settings are in the section 'Messaging:{name}'.", nameof(name));
        }

        services.AddKeyedSingleton(name, (provider, _) => create(provider));
        services.AddSingleton<IHostedService>(GetRunner);
        services.AddSingleton<IMessageHostHealth>(GetRunner);
        services.AddKeyedSingleton<IMessageHostHealth>(name, (provider, _) => GetRunner(provider));
        services.AddKeyedSingleton(name, (provider, _) => GetRunner(provider).Accessor);
        services.AddKeyedSingleton(name, (provider, _) => GetRunner(provider).Accessor.GetRequired());
        services.AddSingleton(provider => new SingleHost<THost>.Entry(GetRunner(provider).Accessor));
        services.TryAddSingleton(static provider => SingleHost<THost>.Find(provider));
        services.TryAddSingleton(static provider => SingleHost<THost>.Find(provider).GetRequired());

        return services;

        HostRunner<THost> GetRunner(IServiceProvider provider) => provider.GetRequiredKeyedService<HostRunner<THost>>(name);
    }

    /// <summary>Adds a health check of all hosts of the program: servers, clients, and every service of the type <see cref="IMessageHostHealth"/>.</summary>
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
        Func<IOptionsMonitor<MessageHostSettings>, ILoggerFactory?, Action<THost>, HostRunner<THost>> makeRunner)
        where THost : MessageHost
    {
        ArgumentNullException.ThrowIfNull(configure);
        var builder = new MessageHostBuilder(name, services);
        services.AddMessageHost(name, provider => makeRunner(
            provider.GetRequiredService<IOptionsMonitor<MessageHostSettings>>(),
            provider.GetService<ILoggerFactory>(),
            host => builder.Prepare(provider, host, configure)));
        ConfigureSettings<MessageHostSettings>.AddTo(services, name, (section, settings) => HostSettings.Read(section, settings, isClient), settings => settings.Endpoint is null
            ? $"The value of 'Messaging:{name}:Endpoint' is missing. Set it, for example to 'tcp://127.0.0.1:5000' or 'local:{name}', or set {nameof(MessageHostSettings)}.{nameof(MessageHostSettings.Endpoint)} in code."
            : null);
        return builder;
    }
}
