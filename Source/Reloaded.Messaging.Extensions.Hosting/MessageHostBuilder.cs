using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Adds handler classes to a server or a client. Returned by <c>AddMessageServer</c> and <c>AddMessageClient</c>.</summary>
public sealed class MessageHostBuilder
{
    private readonly HostHandlers<Peer> _handlers;

    internal MessageHostBuilder(string name, IServiceCollection services)
    {
        (Name, Services) = (name, services);
        _handlers = new HostHandlers<Peer>(services, name, static from => new("Peer", from));
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
        _handlers.AddEvent<TEvent, THandler>();
        return this;
    }

    /// <summary>Adds a class that handles requests. It is added to the services as scoped, unless the services contain it.</summary>
    /// <inheritdoc cref="AddEventHandler{TEvent, THandler}"/>
    public MessageHostBuilder AddRequestHandler<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, Peer>
    {
        _handlers.AddRequest<TRequest, TReply, THandler>();
        return this;
    }

    /// <summary>Adds a filter around all handlers of the host: lambdas and handler classes. It is added to the services as a singleton, unless the services contain it.</summary>
    /// <remarks>The filters of the builder run before those that the callback of <c>AddMessageServer</c> adds.</remarks>
    public MessageHostBuilder AddFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : class, IHandlerFilter
    {
        _handlers.AddFilter<TFilter>();
        return this;
    }

    /// <summary>Gives all log entries that are written while a handler runs a scope. Handler classes have it without this call.</summary>
    /// <remarks>A scope allocates for each message.</remarks>
    public MessageHostBuilder AddLogScopes()
    {
        _handlers.AddLogScopes();
        return this;
    }

    /// <inheritdoc cref="HostHandlers{TFrom}.Prepare"/>
    internal void Prepare<THost>(IServiceProvider services, THost host, Action<IServiceProvider, THost> configure)
        where THost : MessageHost => _handlers.Prepare(services, host, configure);
}
