using System.ComponentModel;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Sends the requests of a service's client, and raises its events. For generated code.</summary>
/// <remarks>Thread-safe. Refers to the host, and the host does not refer to it.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ServiceCaller
{
    private readonly MessageClient? _client;
    private readonly Peer? _peer;

    /// <summary>Calls the service of the server to which a client is connected, also after the client has reconnected.</summary>
    internal ServiceCaller(MessageClient client) => _client = client;

    /// <summary>Calls the service of one peer.</summary>
    internal ServiceCaller(Peer peer) => _peer = peer;

    /// <summary>The peer whose service is called, for methods with items or with progress.</summary>
    public Peer Peer => _client?.Server ?? _peer!;

    private ServiceEvents Events => ServiceEvents.Of(_client ?? _peer!.Host);

    /// <summary>Sends a request whose reply is the result of the method.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, CancellationToken cancellationToken) => _client is not null
        ? _client.RequestAsync<TRequest, TReply>(in request, timeout: null, cancellationToken)
        : _peer!.RequestAsync<TRequest, TReply>(in request, timeout: null, cancellationToken);

    /// <summary>Sends a request whose reply contains the result of the method.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    public ValueTask<TResult> RequestAsync<TRequest, TReply, TResult>(in TRequest request, CancellationToken cancellationToken)
        where TReply : struct, IServiceReply<TResult> => GetResultAsync<TReply, TResult>(RequestAsync<TRequest, TReply>(in request, cancellationToken));

    /// <summary>Sends a request of a method without a result. Completes when the method has completed.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    public ValueTask RequestAsync<TRequest>(in TRequest request, CancellationToken cancellationToken) =>
        CompleteAsync(RequestAsync<TRequest, Acknowledgement>(in request, cancellationToken));

    /// <summary>Adds a handler of an event.</summary>
    /// <param name="handler">The handler; <see langword="null"/> has no effect.</param>
    public void Subscribe<TEvent, THandler>(THandler? handler)
        where TEvent : struct, IServiceEvent<THandler>
        where THandler : Delegate
    {
        if (handler is not null)
            Events.Add<TEvent, THandler>(_peer, handler);
    }

    /// <summary>Removes a handler of an event. With the last handler, the host no longer handles the event.</summary>
    /// <param name="handler">The handler; <see langword="null"/> has no effect.</param>
    public void Unsubscribe<TEvent, THandler>(THandler? handler)
        where TEvent : struct, IServiceEvent<THandler>
        where THandler : Delegate
    {
        if (handler is not null)
            Events.Remove<TEvent, THandler>(_peer, handler);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask CompleteAsync(ValueTask<Acknowledgement> asking) => await asking.ConfigureAwait(false);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<TResult> GetResultAsync<TReply, TResult>(ValueTask<TReply> asking)
        where TReply : struct, IServiceReply<TResult> => (await asking.ConfigureAwait(false)).Result;
}

/// <summary>A generated reply, which contains the result of a service's method. For generated code.</summary>
/// <typeparam name="TResult">The result.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IServiceReply<out TResult>
{
    /// <summary>The result of the method.</summary>
    TResult Result { get; }
}
