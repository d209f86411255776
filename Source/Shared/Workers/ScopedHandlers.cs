using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Creates the handlers that call handler classes. Each call has a scope of services and an instance.</summary>
/// <typeparam name="TFrom">The sender.</typeparam>
/// <param name="services">The services of the program.</param>
internal sealed class ScopedHandlers<TFrom>(IServiceProvider services)
{
    private readonly IServiceScopeFactory _scopes = services.GetRequiredService<IServiceScopeFactory>();

    public Func<TEvent, TFrom, CancellationToken, ValueTask> ForEvent<TEvent, THandler>()
        where THandler : class, IEventHandler<TEvent, TFrom> => async (message, from, cancellationToken) =>
        {
            await using var scope = _scopes.CreateAsyncScope();
            await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(message, from, cancellationToken);
        };

    public AsyncRequestHandler<TRequest, TReply, TFrom> ForRequest<TRequest, TReply, THandler>()
        where THandler : class, IRequestHandler<TRequest, TReply, TFrom> => async (request, from, cancellationToken) =>
        {
            await using var scope = _scopes.CreateAsyncScope();
            return await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(request, from, cancellationToken);
        };
}

/// <summary>The properties that all log entries of a handler have: the host, the type of the message, and its source.</summary>
internal sealed class HandlerLogScope(string host, string type, KeyValuePair<string, object?> source) : IReadOnlyList<KeyValuePair<string, object?>>
{
    public int Count => 3;

    public KeyValuePair<string, object?> this[int index] => index switch
    {
        0 => new("Host", host),
        1 => new("TypeName", type),
        2 => source,
        _ => throw new ArgumentOutOfRangeException(nameof(index)),
    };

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        for (var i = 0; i < Count; i++)
            yield return this[i];
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public override string ToString() => $"{type} of {source.Key} {source.Value}, host {host}";
}
