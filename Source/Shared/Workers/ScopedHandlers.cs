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
