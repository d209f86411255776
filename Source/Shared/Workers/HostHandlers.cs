using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The handler classes and the filters that a builder adds to one host.</summary>
/// <typeparam name="TFrom">The sender.</typeparam>
/// <param name="services">The services of the program.</param>
/// <param name="host">The name of the host.</param>
/// <param name="source">Returns the property of log entries that names the source of a message.</param>
internal sealed class HostHandlers<TFrom>(IServiceCollection services, string host, Func<TFrom, KeyValuePair<string, object?>> source)
{
    private readonly List<Action<ScopedHandlers<TFrom>, HandlerHost<TFrom>>> _handlers = [];
    private readonly List<(Type? MessageType, Func<IServiceProvider, Func<HandlerCall, ValueTask>> Create)> _filters = [];
    private readonly List<Type> _scoped = [];
    private bool _areAllScoped;

    public void AddEvent<TEvent, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IEventHandler<TEvent, TFrom> =>
        AddClass<THandler>(typeof(TEvent), static (classes, target) => target.On(classes.ForEvent<TEvent, THandler>()));

    public void AddRequest<TRequest, TReply, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, TFrom> =>
        AddClass<THandler>(typeof(TRequest), static (classes, target) => target.OnRequest(classes.ForRequest<TRequest, TReply, THandler>()));

    /// <summary>Gives the log entries of all handlers a scope, and not only those of handler classes.</summary>
    public void AddLogScopes() => _areAllScoped = true;

    /// <summary>Adds a filter that the services create.</summary>
    public void AddFilter<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : class, IHandlerFilter
    {
        services.TryAddSingleton<TFilter>();
        _filters.Add((null, static provider => provider.GetRequiredService<TFilter>().InvokeAsync));
    }

    /// <summary>Prepares a host: adds the filters, calls the callback of the program, and registers the handler classes.</summary>
    public void Prepare<THost>(IServiceProvider provider, THost target, Action<IServiceProvider, THost> configure)
        where THost : HandlerHost<TFrom>
    {
        AddFilters(provider, target);
        configure(provider, target);
        var classes = new ScopedHandlers<TFrom>(provider);
        foreach (var register in _handlers)
            register(classes, target);
    }

    private void AddClass<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(Type messageType, Action<ScopedHandlers<TFrom>, HandlerHost<TFrom>> register)
        where THandler : class
    {
        services.TryAddScoped<THandler>();
        _scoped.Add(messageType);
        foreach (HandlerFilterAttribute filter in typeof(THandler).GetCustomAttributes(typeof(HandlerFilterAttribute), inherit: true))
            _filters.Add((messageType, _ => filter.InvokeAsync));
        _handlers.Add(register);
    }

    private void AddFilters(IServiceProvider provider, HandlerHost<TFrom> target)
    {
        var log = (provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(host);
        if (_areAllScoped)
            target.AddFilter(LogAsync);
        else
            _scoped.ForEach(type => target.AddFilter(LogAsync, type));
        foreach (var (type, create) in _filters)
            target.AddFilter(create(provider), type);

        async ValueTask LogAsync(HandlerCall call)
        {
            call.TryGetFrom<TFrom>(out var from);
            using (log.BeginScope(new HandlerLogScope(host, call.Contract.MessageType.Name, source(from!))))
                await call.NextAsync();
        }
    }
}
