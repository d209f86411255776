using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Creates the handlers that call handler classes. Each call has a scope and an instance.</summary>
internal static class ScopedHandlers
{
    public static Func<TEvent, TFrom, CancellationToken, ValueTask> ForEvent<TEvent, TFrom, THandler>(IServiceProvider services)
        where THandler : class, IEventHandler<TEvent, TFrom>
    {
        var scopes = services.GetRequiredService<IServiceScopeFactory>();
        return async (message, from, cancellationToken) =>
        {
            await using var scope = scopes.CreateAsyncScope();
            await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(message, from, cancellationToken);
        };
    }

    public static AsyncRequestHandler<TRequest, TReply, TFrom> ForRequest<TRequest, TReply, TFrom, THandler>(IServiceProvider services)
        where THandler : class, IRequestHandler<TRequest, TReply, TFrom>
    {
        var scopes = services.GetRequiredService<IServiceScopeFactory>();
        return async (request, from, cancellationToken) =>
        {
            await using var scope = scopes.CreateAsyncScope();
            return await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(request, from, cancellationToken);
        };
    }
}
