using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Sends requests that name the type of their reply.</summary>
public static class RabbitRequestExtensions
{
    /// <summary>Sends a request and waits for its reply, whose type the request names. By the declared contracts of the request and the reply.</summary>
    /// <param name="host">The host.</param>
    /// <param name="to">A name to which hosts reply (<see cref="RabbitHost.AnswerAsync"/>), or the <see cref="RabbitHost.Id"/> of one host.</param>
    /// <param name="request">The request. A struct is boxed: this call allocates it once.</param>
    /// <param name="timeout">The time to wait; <c>null</c> uses <see cref="RabbitOptions.RequestTimeout"/>. The broker drops the request after this time.</param>
    /// <param name="cancellationToken">Ends the wait. The handler is not canceled.</param>
    /// <inheritdoc cref="RabbitHost.RequestAsync{TRequest, TReply}(string, in TRequest, TimeSpan?, CancellationToken)"/>
    public static ValueTask<TReply> RequestAsync<TReply>(
        this RabbitHost host, string to, IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        SenderOf(host, request).RequestAsync<IRequest<TReply>, TReply>(to, MessageContract.GetDeclared(request.GetType()), in request, timeout, cancellationToken);

    /// <summary>Sends a request without a reply and waits until the remote handler has completed.</summary>
    /// <inheritdoc cref="RequestAsync{TReply}(RabbitHost, string, IRequest{TReply}, TimeSpan?, CancellationToken)"/>
    public static ValueTask<Acknowledgement> RequestAsync(
        this RabbitHost host, string to, IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        SenderOf(host, request).RequestAsync<IRequest, Acknowledgement>(to, MessageContract.GetDeclared(request.GetType()), in request, timeout, cancellationToken);

    /// <summary>Sends a request, which names the type of its reply, and waits for its result. Throws only for a request that cannot be packed.</summary>
    /// <inheritdoc cref="RequestAsync{TReply}(RabbitHost, string, IRequest{TReply}, TimeSpan?, CancellationToken)" path="/param"/>
    /// <returns>The reply, or the status of the failed request. Await it once.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit.</exception>
    public static ValueTask<RequestResult<TReply>> TryRequestAsync<TReply>(
        this RabbitHost host, string to, IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        SenderOf(host, request).TryRequestAsync<IRequest<TReply>, TReply>(to, MessageContract.GetDeclared(request.GetType()), in request, timeout, cancellationToken);

    /// <summary>Sends a request without a reply and waits for its result. Throws only for a request that cannot be packed.</summary>
    /// <inheritdoc cref="TryRequestAsync{TReply}(RabbitHost, string, IRequest{TReply}, TimeSpan?, CancellationToken)"/>
    public static ValueTask<RequestResult<Acknowledgement>> TryRequestAsync(
        this RabbitHost host, string to, IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        SenderOf(host, request).TryRequestAsync<IRequest, Acknowledgement>(to, MessageContract.GetDeclared(request.GetType()), in request, timeout, cancellationToken);

    private static RequestSender SenderOf(RabbitHost host, object request)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(request);
        return host.Requests;
    }
}
