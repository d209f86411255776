using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Adds handler classes to a host over RabbitMQ. Returned by <c>AddRabbitHost</c>.</summary>
public sealed class RabbitHostBuilder
{
    private readonly List<Action<IServiceProvider, RabbitHost>> _handlers = [];

    internal RabbitHostBuilder(string name, IServiceCollection services) => (Name, Services) = (name, services);

    /// <summary>The name of the host.</summary>
    public string Name { get; }

    /// <summary>The services of the program.</summary>
    public IServiceCollection Services { get; }

    /// <summary>Adds a class that handles events. It is added to the services as scoped, unless the services contain it.</summary>
    /// <remarks>
    /// A scope and an instance are created for each message. For frequent messages, register a lambda in the callback of <c>AddRabbitHost</c> instead. An
    /// at-least-once message is acknowledged when the handler and its scope have ended, and tried again when the handler threw.
    /// </remarks>
    public RabbitHostBuilder AddEventHandler<TEvent, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IEventHandler<TEvent, Origin>
    {
        Services.TryAddScoped<THandler>();
        _handlers.Add((services, host) => host.On(HandlersOf(services).ForEvent<TEvent, THandler>()));
        return this;
    }

    /// <summary>Adds a class that handles requests. It is added to the services as scoped, unless the services contain it.</summary>
    /// <remarks>A scope and an instance are created for each request. The host receives the requests to its id, and to the names in <see cref="RabbitHostSettings.Answers"/>.</remarks>
    public RabbitHostBuilder AddRequestHandler<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, Origin>
    {
        Services.TryAddScoped<THandler>();
        _handlers.Add((services, host) => host.OnRequest(HandlersOf(services).ForRequest<TRequest, TReply, THandler>()));
        return this;
    }

    internal void RegisterHandlers(IServiceProvider services, RabbitHost host)
    {
        foreach (var register in _handlers)
            register(services, host);
    }

    private ScopedHandlers<Origin> HandlersOf(IServiceProvider services) => new(services, Name, static from => new("Topic", from.Topic));
}
