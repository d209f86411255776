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
    private readonly HostFilters<Origin> _filters;

    internal RabbitHostBuilder(string name, IServiceCollection services)
    {
        (Name, Services) = (name, services);
        _filters = new HostFilters<Origin>(services, name, static from => new("Topic", from.Topic));
    }

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
        _filters.AddHandlerClass(typeof(THandler), typeof(TEvent));
        _handlers.Add((services, host) => host.On(new ScopedHandlers<Origin>(services).ForEvent<TEvent, THandler>()));
        return this;
    }

    /// <summary>Adds a class that handles requests. It is added to the services as scoped, unless the services contain it.</summary>
    /// <remarks>A scope and an instance are created for each request. The host receives the requests to its id, and to the names in <see cref="RabbitHostSettings.Answers"/>.</remarks>
    public RabbitHostBuilder AddRequestHandler<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, Origin>
    {
        Services.TryAddScoped<THandler>();
        _filters.AddHandlerClass(typeof(THandler), typeof(TRequest));
        _handlers.Add((services, host) => host.OnRequest(new ScopedHandlers<Origin>(services).ForRequest<TRequest, TReply, THandler>()));
        return this;
    }

    /// <summary>Adds a filter around all handlers of the host: lambdas and handler classes. It is added to the services as a singleton, unless the services contain it.</summary>
    /// <remarks>The filters of the builder run before those that the callback of <c>AddRabbitHost</c> adds.</remarks>
    public RabbitHostBuilder AddFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : class, IHandlerFilter
    {
        _filters.Add<TFilter>();
        return this;
    }

    /// <summary>Gives all log entries that are written while a handler runs a scope. Handler classes have it without this call.</summary>
    /// <remarks>A scope allocates for each message.</remarks>
    public RabbitHostBuilder AddLogScopes()
    {
        _filters.AddLogScopes();
        return this;
    }

    /// <summary>Prepares a host: adds the filters, calls the callback of the program, and registers the handler classes.</summary>
    internal void Prepare(IServiceProvider services, RabbitHost host, Action<IServiceProvider, RabbitHost> configure)
    {
        _filters.AddTo(host, services);
        configure(services, host);
        foreach (var register in _handlers)
            register(services, host);
    }
}
