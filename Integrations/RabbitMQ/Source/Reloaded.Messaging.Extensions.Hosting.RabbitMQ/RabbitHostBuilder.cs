using System;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>Adds handler classes to a host over RabbitMQ. Returned by <c>AddRabbitHost</c>.</summary>
public sealed class RabbitHostBuilder
{
    private readonly HostHandlers<Origin> _handlers;

    internal RabbitHostBuilder(string name, IServiceCollection services)
    {
        (Name, Services) = (name, services);
        _handlers = new HostHandlers<Origin>(services, name, static from => new("Topic", from.Topic));
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
        _handlers.AddEvent<TEvent, THandler>();
        return this;
    }

    /// <summary>Adds a class that handles requests. It is added to the services as scoped, unless the services contain it.</summary>
    /// <remarks>A scope and an instance are created for each request. The host receives the requests to its id, and to the names in <see cref="RabbitHostSettings.Answers"/>.</remarks>
    public RabbitHostBuilder AddRequestHandler<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, Origin>
    {
        _handlers.AddRequest<TRequest, TReply, THandler>();
        return this;
    }

    /// <summary>Adds a filter around all handlers of the host: lambdas and handler classes. It is added to the services as a singleton, unless the services contain it.</summary>
    /// <remarks>The filters of the builder run before those that the callback of <c>AddRabbitHost</c> adds.</remarks>
    public RabbitHostBuilder AddFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : class, IHandlerFilter
    {
        _handlers.AddFilter<TFilter>();
        return this;
    }

    /// <summary>Gives all log entries that are written while a handler runs a scope. Handler classes have it without this call.</summary>
    /// <remarks>A scope allocates for each message.</remarks>
    public RabbitHostBuilder AddLogScopes()
    {
        _handlers.AddLogScopes();
        return this;
    }

    /// <inheritdoc cref="HostHandlers{TFrom}.Prepare"/>
    internal void Prepare(IServiceProvider services, RabbitHost host, Action<IServiceProvider, RabbitHost> configure) => _handlers.Prepare(services, host, configure);
}
