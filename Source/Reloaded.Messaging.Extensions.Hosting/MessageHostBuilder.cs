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

    internal MessageHostBuilder(string name, IServiceCollection services) => (Name, Services) = (name, services);

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
        _handlers.Add((services, host) => host.On(HandlersOf(services).ForEvent<TEvent, THandler>()));
        return this;
    }

    /// <summary>Adds a class that handles requests. It is added to the services as scoped, unless the services contain it.</summary>
    /// <inheritdoc cref="AddEventHandler{TEvent, THandler}"/>
    public MessageHostBuilder AddRequestHandler<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, Peer>
    {
        Services.TryAddScoped<THandler>();
        _handlers.Add((services, host) => host.OnRequest(HandlersOf(services).ForRequest<TRequest, TReply, THandler>()));
        return this;
    }

    internal void RegisterHandlers(IServiceProvider services, MessageHost host)
    {
        foreach (var register in _handlers)
            register(services, host);
    }

    private ScopedHandlers<Peer> HandlersOf(IServiceProvider services) => new(services, Name, static from => new("Peer", from));
}
