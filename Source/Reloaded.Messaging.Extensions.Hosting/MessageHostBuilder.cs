using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Adds handler classes to a server or a client. Returned by <c>AddMessageServer</c> and <c>AddMessageClient</c>.</summary>
public sealed class MessageHostBuilder
{
    private readonly List<Action<IServiceProvider, MessageHost>> _handlers = [];
    private readonly HostFilters<Peer> _filters;

    internal MessageHostBuilder(string name, IServiceCollection services)
    {
        (Name, Services) = (name, services);
        _filters = new HostFilters<Peer>(services, name, static from => new("Peer", from));
    }

    /// <summary>The name of the host.</summary>
    public string Name { get; }

    /// <summary>The services of the program.</summary>
    public IServiceCollection Services { get; }

    /// <summary>Adds a class that handles events. It is added to the services as scoped, unless the services contain it.</summary>
    /// <remarks>A scope and an instance are created for each message. For frequent messages, register a lambda in the callback of <c>AddMessageServer</c> instead.</remarks>
    public MessageHostBuilder AddEventHandler<TEvent, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IEventHandler<TEvent, Peer>
    {
        Services.TryAddScoped<THandler>();
        _filters.AddHandlerClass(typeof(THandler), typeof(TEvent));
        _handlers.Add((services, host) => host.On(new ScopedHandlers<Peer>(services).ForEvent<TEvent, THandler>()));
        return this;
    }

    /// <summary>Adds a class that handles requests. It is added to the services as scoped, unless the services contain it.</summary>
    /// <inheritdoc cref="AddEventHandler{TEvent, THandler}"/>
    public MessageHostBuilder AddRequestHandler<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, Peer>
    {
        Services.TryAddScoped<THandler>();
        _filters.AddHandlerClass(typeof(THandler), typeof(TRequest));
        _handlers.Add((services, host) => host.OnRequest(new ScopedHandlers<Peer>(services).ForRequest<TRequest, TReply, THandler>()));
        return this;
    }

    /// <summary>Adds a filter around all handlers of the host: lambdas and handler classes. It is added to the services as a singleton, unless the services contain it.</summary>
    /// <remarks>The filters of the builder run before those that the callback of <c>AddMessageServer</c> adds.</remarks>
    public MessageHostBuilder AddFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : class, IHandlerFilter
    {
        _filters.Add<TFilter>();
        return this;
    }

    /// <summary>Gives all log entries that are written while a handler runs a scope. Handler classes have it without this call.</summary>
    /// <remarks>A scope allocates for each message.</remarks>
    public MessageHostBuilder AddLogScopes()
    {
        _filters.AddLogScopes();
        return this;
    }

    /// <summary>Prepares a host: adds the filters, calls the callback of the program, and registers the handler classes.</summary>
    internal void Prepare<THost>(IServiceProvider services, THost host, Action<IServiceProvider, THost> configure)
        where THost : MessageHost
    {
        _filters.AddTo(host, services);
        configure(services, host);
        foreach (var register in _handlers)
            register(services, host);
    }
}
