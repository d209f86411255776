using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The filters of one host: scopes of the log, filters from the services, and attributes of handler classes.</summary>
/// <typeparam name="TFrom">The sender.</typeparam>
/// <param name="services">The services of the program.</param>
/// <param name="host">The name of the host.</param>
/// <param name="source">Returns the property of log entries that names the source of a message.</param>
internal sealed class HostFilters<TFrom>(IServiceCollection services, string host, Func<TFrom, KeyValuePair<string, object?>> source)
{
    private readonly List<(Type? MessageType, Func<IServiceProvider, Func<HandlerCall, ValueTask>> Create)> _filters = [];
    private readonly List<Type> _scoped = [];
    private bool _areAllScoped;

    /// <summary>Gives the log entries of all handlers a scope, and not only those of handler classes.</summary>
    public void AddLogScopes() => _areAllScoped = true;

    /// <summary>Adds a filter that the services create.</summary>
    public void Add<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TFilter>()
        where TFilter : class, IHandlerFilter
    {
        services.TryAddSingleton<TFilter>();
        _filters.Add((null, static provider => provider.GetRequiredService<TFilter>().InvokeAsync));
    }

    /// <summary>Adds the scope of the log and the attributes of a handler class.</summary>
    public void AddHandlerClass(Type handler, Type messageType)
    {
        _scoped.Add(messageType);
        foreach (HandlerFilterAttribute filter in handler.GetCustomAttributes(typeof(HandlerFilterAttribute), inherit: true))
            _filters.Add((messageType, _ => filter.InvokeAsync));
    }

    /// <summary>Adds the filters to the host. Called before its handlers are registered.</summary>
    public void AddTo(HandlerForms<TFrom> target, IServiceProvider provider)
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
