using System.Runtime.ExceptionServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>Streams of messages between hosts: requests and replies with any number of items, requests with progress, and events as a stream.</summary>
public static partial class HostStreams
{
    private const int DefaultCapacity = 1024;

    /// <summary>Registers a handler that replies to requests of a type with a stream of items, by the declared contracts. Only the enumeration of the items receives the token.</summary>
    /// <inheritdoc cref="OnStream{TRequest, TItem}(MessageHost, MessageContract{TRequest}, MessageContract{TItem}, Func{TRequest, Peer, CancellationToken, IAsyncEnumerable{TItem}})"/>
    public static HandlerRegistration OnStream<TRequest, TItem>(this MessageHost host, Func<TRequest, IAsyncEnumerable<TItem>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnStream<TRequest, TItem>((request, _, _) => handler(request));
    }

    /// <summary>Registers a handler that replies to requests of a type with a stream of items, by the declared contracts.</summary>
    /// <inheritdoc cref="OnStream{TRequest, TItem}(MessageHost, MessageContract{TRequest}, MessageContract{TItem}, Func{TRequest, Peer, CancellationToken, IAsyncEnumerable{TItem}})"/>
    public static HandlerRegistration OnStream<TRequest, TItem>(this MessageHost host, Func<TRequest, CancellationToken, IAsyncEnumerable<TItem>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnStream<TRequest, TItem>((request, _, token) => handler(request, token));
    }

    /// <summary>Registers a handler that replies to requests of a type with a stream of items, by the declared contracts.</summary>
    /// <inheritdoc cref="OnStream{TRequest, TItem}(MessageHost, MessageContract{TRequest}, MessageContract{TItem}, Func{TRequest, Peer, CancellationToken, IAsyncEnumerable{TItem}})"/>
    public static HandlerRegistration OnStream<TRequest, TItem>(this MessageHost host, Func<TRequest, Peer, CancellationToken, IAsyncEnumerable<TItem>> handler) =>
        host.OnStream(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TItem>(), handler);

    /// <summary>Registers a handler that replies to requests of a type with a stream of items.</summary>
    /// <param name="host">The host.</param>
    /// <param name="contract">The contract of the requests.</param>
    /// <param name="itemContract">The contract of the items. The handshake compares it.</param>
    /// <param name="handler">
    /// Creates the items. Its token is canceled when the consumer ends the enumeration or disconnects. If it throws, the consumer receives a fault after the
    /// items before it; the code and text of a <see cref="RequestFaultException"/> are sent.
    /// </param>
    /// <returns>The registration. Dispose to refuse further requests; open streams continue.</returns>
    /// <remarks>
    /// The items are created on the thread pool or, in a pumped host, inside of <see cref="MessageHost.Pump"/>. Items are created for at most one block of
    /// 64 KiB before the consumer requests it, so a slow consumer slows down the handler. A peer may have 64 open streams.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request or the item belongs to another type.</exception>
    public static HandlerRegistration OnStream<TRequest, TItem>(
        this MessageHost host,
        MessageContract<TRequest> contract,
        MessageContract<TItem> itemContract,
        Func<TRequest, Peer, CancellationToken, IAsyncEnumerable<TItem>> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(itemContract);
        ArgumentNullException.ThrowIfNull(handler);
        var table = StreamTable.Of(host);
        host.AnnounceContract(itemContract);
        return host.OnRequest(contract, StreamContracts.Opened, (in TRequest request, Peer peer) =>
        {
            var opened = request;
            return table.Open(new ItemStream<TItem>(peer, contract.Type, itemContract, token => handler(opened, peer, token)));
        });
    }

    /// <summary>Registers a handler of requests that carry a stream of items, and that have no reply. By the declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TItem, TReply}(MessageHost, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, Func{TRequest, IAsyncEnumerable{TItem}, Peer, CancellationToken, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TItem>(this MessageHost host, Func<TRequest, IAsyncEnumerable<TItem>, CancellationToken, Task> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnRequest(
            MessageContract.GetDeclared<TRequest>(),
            MessageContract.GetDeclared<TItem>(),
            Acknowledgement.Contract,
            (TRequest request, IAsyncEnumerable<TItem> items, Peer _, CancellationToken token) => Acknowledgement.AfterAsync(handler(request, items, token)));
    }

    /// <summary>Registers a handler of requests that carry a stream of items, by the declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TItem, TReply}(MessageHost, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, Func{TRequest, IAsyncEnumerable{TItem}, Peer, CancellationToken, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TItem, TReply>(this MessageHost host, Func<TRequest, IAsyncEnumerable<TItem>, CancellationToken, Task<TReply>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnRequest<TRequest, TItem, TReply>((request, items, _, token) => handler(request, items, token));
    }

    /// <summary>Registers a handler of requests that carry a stream of items, by the declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TItem, TReply}(MessageHost, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, Func{TRequest, IAsyncEnumerable{TItem}, Peer, CancellationToken, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TItem, TReply>(this MessageHost host, Func<TRequest, IAsyncEnumerable<TItem>, Peer, CancellationToken, Task<TReply>> handler) =>
        host.OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TItem>(), MessageContract.GetDeclared<TReply>(), handler);

    /// <summary>Registers a handler of requests that carry a stream of items.</summary>
    /// <param name="host">The host.</param>
    /// <param name="contract">The contract of the requests.</param>
    /// <param name="itemContract">The contract of the items. The handshake compares it.</param>
    /// <param name="replyContract">The contract of the replies.</param>
    /// <param name="handler">
    /// Handles a request. It can enumerate the items once, until it has completed. The requester learns at once when the enumeration ends before the last item.
    /// If the source of the items throws, the enumeration throws a <see cref="RequestFaultException"/> after the items before it. The token is canceled when the
    /// requester cancels the request or disconnects, and the enumeration then throws an <see cref="OperationCanceledException"/>.
    /// </param>
    /// <returns>The registration. Dispose to refuse further requests; running handlers continue.</returns>
    /// <remarks>
    /// Up to four blocks of 64 KiB are requested in advance, so a slow handler slows down the source. A peer may have 64 open streams. In a pumped host, the
    /// handler runs inside of <see cref="MessageHost.Pump"/>.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request, the item or the reply belongs to another type.</exception>
    public static HandlerRegistration OnRequest<TRequest, TItem, TReply>(
        this MessageHost host,
        MessageContract<TRequest> contract,
        MessageContract<TItem> itemContract,
        MessageContract<TReply> replyContract,
        Func<TRequest, IAsyncEnumerable<TItem>, Peer, CancellationToken, Task<TReply>> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(itemContract);
        ArgumentNullException.ThrowIfNull(replyContract);
        ArgumentNullException.ThrowIfNull(handler);
        var table = StreamTable.Of(host);
        host.AnnounceContract(itemContract);
        return host.Contracts.Register(contract, replyContract, host.Handlers.Prepare(contract, replyContract, HandleAsync));

        async ValueTask<TReply> HandleAsync(TRequest request, MessageContext context, CancellationToken cancellationToken)
        {
            table.Enter(context.Peer);
            var items = new RequestItems<TItem>(context, itemContract, null, cancellationToken);
            try
            {
                return await handler(request, items, context.Peer, cancellationToken).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (items.IsCanceled)
            {
                throw RequestFaultException.OfLibrary(FaultCode.Canceled, "The request was canceled."); // the cancellation of the request, which cancels the token, may be read after the end of the items
            }
            finally
            {
                table.Leave(context.Peer);
            }
        }
    }

    /// <summary>Registers a handler that receives a stream of items and replies with another one, by the declared contracts.</summary>
    /// <inheritdoc cref="OnStream{TRequest, TSent, TItem}(MessageHost, MessageContract{TRequest}, MessageContract{TSent}, MessageContract{TItem}, Func{TRequest, IAsyncEnumerable{TSent}, Peer, CancellationToken, IAsyncEnumerable{TItem}})"/>
    public static HandlerRegistration OnStream<TRequest, TSent, TItem>(this MessageHost host, Func<TRequest, IAsyncEnumerable<TSent>, CancellationToken, IAsyncEnumerable<TItem>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnStream<TRequest, TSent, TItem>((request, items, _, token) => handler(request, items, token));
    }

    /// <summary>Registers a handler that receives a stream of items and replies with another one, by the declared contracts.</summary>
    /// <inheritdoc cref="OnStream{TRequest, TSent, TItem}(MessageHost, MessageContract{TRequest}, MessageContract{TSent}, MessageContract{TItem}, Func{TRequest, IAsyncEnumerable{TSent}, Peer, CancellationToken, IAsyncEnumerable{TItem}})"/>
    public static HandlerRegistration OnStream<TRequest, TSent, TItem>(this MessageHost host, Func<TRequest, IAsyncEnumerable<TSent>, Peer, CancellationToken, IAsyncEnumerable<TItem>> handler) =>
        host.OnStream(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TSent>(), MessageContract.GetDeclared<TItem>(), handler);

    /// <summary>Registers a handler that receives a stream of items and replies with another one. Items of both directions are on their way at the same time.</summary>
    /// <param name="host">The host.</param>
    /// <param name="contract">The contract of the requests.</param>
    /// <param name="sentContract">The contract of the received items. The handshake compares it.</param>
    /// <param name="itemContract">The contract of the items of the reply. The handshake compares it.</param>
    /// <param name="handler">
    /// Creates the items of the reply. It can enumerate the received items once, until the reply has ended. The items of both directions are those of a request with items and of a reply with items.
    /// </param>
    /// <returns>The registration. Dispose to refuse further requests; open streams continue.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request or of an item belongs to another type.</exception>
    public static HandlerRegistration OnStream<TRequest, TSent, TItem>(
        this MessageHost host,
        MessageContract<TRequest> contract,
        MessageContract<TSent> sentContract,
        MessageContract<TItem> itemContract,
        Func<TRequest, IAsyncEnumerable<TSent>, Peer, CancellationToken, IAsyncEnumerable<TItem>> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(sentContract);
        ArgumentNullException.ThrowIfNull(itemContract);
        ArgumentNullException.ThrowIfNull(handler);
        var table = StreamTable.Of(host);
        host.AnnounceContract(sentContract);
        host.AnnounceContract(itemContract);
        return host.Contracts.Register(contract, StreamContracts.Opened, host.Handlers.Prepare(contract, StreamContracts.Opened, (TRequest request, MessageContext context, CancellationToken _) =>
        {
            ItemStream<TItem>? reply = null;
            reply = new ItemStream<TItem>(context.Peer, contract.Type, itemContract, token => handler(request, new RequestItems<TSent>(context, sentContract, reply, token), context.Peer, token));
            return new ValueTask<StreamOpened>(table.Open(reply));
        }));
    }

    /// <summary>Sends a request with a stream of items to the server, and waits for its reply, whose type the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TItem, TReply}(Peer, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, TRequest, IAsyncEnumerable{TItem}, CancellationToken)"/>
    public static Task<TReply> RequestAsync<TItem, TReply>(this MessageClient client, IRequest<TReply> request, IAsyncEnumerable<TItem> items, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.RequestAsync(request, items, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items, and waits for its reply, whose type the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TItem, TReply}(Peer, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, TRequest, IAsyncEnumerable{TItem}, CancellationToken)"/>
    public static Task<TReply> RequestAsync<TItem, TReply>(this Peer peer, IRequest<TReply> request, IAsyncEnumerable<TItem> items, CancellationToken cancellationToken = default)
    {
        ThrowIfNull(peer, items);
        return SendAsync(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TItem>(), MessageContract.GetDeclared<TReply>(), request, items, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items and without a reply to the server, and waits until its handler has completed. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TItem, TReply}(Peer, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, TRequest, IAsyncEnumerable{TItem}, CancellationToken)"/>
    public static Task<Acknowledgement> RequestAsync<TItem>(this MessageClient client, IRequest request, IAsyncEnumerable<TItem> items, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.RequestAsync(request, items, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items and without a reply, and waits until the remote handler has completed. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TItem, TReply}(Peer, MessageContract{TRequest}, MessageContract{TItem}, MessageContract{TReply}, TRequest, IAsyncEnumerable{TItem}, CancellationToken)"/>
    public static Task<Acknowledgement> RequestAsync<TItem>(this Peer peer, IRequest request, IAsyncEnumerable<TItem> items, CancellationToken cancellationToken = default)
    {
        ThrowIfNull(peer, items);
        return SendAsync(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TItem>(), Acknowledgement.Contract, request, items, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items, and waits for its reply.</summary>
    /// <param name="peer">The peer that handles the request.</param>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="itemContract">The contract of the items.</param>
    /// <param name="replyContract">The contract of the reply.</param>
    /// <param name="request">The request.</param>
    /// <param name="items">The items. They are enumerated when the remote handler reads them, on the thread pool or, in a pumped host, inside of <see cref="MessageHost.Pump"/>. The token of the enumeration is canceled when the remote handler reads no more items.</param>
    /// <param name="cancellationToken">Cancels the request, and the token of the remote handler.</param>
    /// <returns>The reply. It arrives when the handler has completed, whether it has read all items or not. The enumeration of the items may end later.</returns>
    /// <remarks>
    /// The request has no timeout, and is not sent again after a reconnection. The remote side requests up to four blocks of 64 KiB in advance, and this side prepares one more. A block with one item larger than that has the size of the item.
    /// An exception of the items is thrown when the remote handler has ended, whatever its reply. The remote handler receives a fault without its details; the code and text of a <see cref="RequestFaultException"/> are sent.
    /// </remarks>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="RequestFailedException">Thrown when the request was not sent, when the peer handles such requests without these items, when it disconnected, or when the reply cannot be read.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public static Task<TReply> RequestAsync<TRequest, TItem, TReply>(
        this Peer peer,
        MessageContract<TRequest> contract,
        MessageContract<TItem> itemContract,
        MessageContract<TReply> replyContract,
        TRequest request,
        IAsyncEnumerable<TItem> items,
        CancellationToken cancellationToken = default)
    {
        ThrowIfNull(peer, items);
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(itemContract);
        ArgumentNullException.ThrowIfNull(replyContract);
        return SendAsync(peer, contract, itemContract, replyContract, request, items, cancellationToken);
    }

    /// <summary>Requests a stream of items, whose type the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="StreamAsync{TRequest, TItem}(Peer, MessageContract{TRequest}, MessageContract{TItem}, TRequest, CancellationToken)"/>
    public static IAsyncEnumerable<TItem> StreamAsync<TItem>(this MessageClient client, IStreamRequest<TItem> request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.StreamAsync(request, cancellationToken);
    }

    /// <summary>Requests a stream of items, whose type the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="StreamAsync{TRequest, TItem}(Peer, MessageContract{TRequest}, MessageContract{TItem}, TRequest, CancellationToken)"/>
    public static IAsyncEnumerable<TItem> StreamAsync<TItem>(this Peer peer, IStreamRequest<TItem> request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        return Stream(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TItem>(), request, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items to the server, and requests the stream of items that the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="StreamAsync{TRequest, TSent, TItem}(Peer, MessageContract{TRequest}, MessageContract{TSent}, MessageContract{TItem}, TRequest, IAsyncEnumerable{TSent}, CancellationToken)"/>
    public static IAsyncEnumerable<TItem> StreamAsync<TSent, TItem>(this MessageClient client, IStreamRequest<TItem> request, IAsyncEnumerable<TSent> items, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.StreamAsync(request, items, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items, and requests the stream of items that the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="StreamAsync{TRequest, TSent, TItem}(Peer, MessageContract{TRequest}, MessageContract{TSent}, MessageContract{TItem}, TRequest, IAsyncEnumerable{TSent}, CancellationToken)"/>
    public static IAsyncEnumerable<TItem> StreamAsync<TSent, TItem>(this Peer peer, IStreamRequest<TItem> request, IAsyncEnumerable<TSent> items, CancellationToken cancellationToken = default)
    {
        ThrowIfNull(peer, items);
        return StreamBoth(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TSent>(), MessageContract.GetDeclared<TItem>(), request, items, cancellationToken);
    }

    /// <summary>Sends a request with a stream of items, and requests another stream of items. Items of both directions are on their way at the same time.</summary>
    /// <param name="peer">The peer that handles the request.</param>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="sentContract">The contract of the sent items.</param>
    /// <param name="itemContract">The contract of the received items.</param>
    /// <param name="request">The request.</param>
    /// <param name="items">The sent items. Each enumeration of the result enumerates them, when the remote handler reads them. The token of the enumeration is canceled when the remote handler reads no more items, and at the end of the result.</param>
    /// <param name="cancellationToken">Ends the enumeration of the result and cancels the token of the remote handler. So does leaving the loop.</param>
    /// <returns>The received items, as of a request without sent items. An exception of the sent items is thrown when the remote handler has ended.</returns>
    public static IAsyncEnumerable<TItem> StreamAsync<TRequest, TSent, TItem>(
        this Peer peer,
        MessageContract<TRequest> contract,
        MessageContract<TSent> sentContract,
        MessageContract<TItem> itemContract,
        TRequest request,
        IAsyncEnumerable<TSent> items,
        CancellationToken cancellationToken = default)
    {
        ThrowIfNull(peer, items);
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(sentContract);
        ArgumentNullException.ThrowIfNull(itemContract);
        return StreamBoth(peer, contract, sentContract, itemContract, request, items, cancellationToken);
    }

    /// <summary>Requests a stream of items, by the declared contracts.</summary>
    /// <inheritdoc cref="StreamAsync{TRequest, TItem}(Peer, MessageContract{TRequest}, MessageContract{TItem}, TRequest, CancellationToken)"/>
    public static IAsyncEnumerable<TItem> StreamAsync<TRequest, TItem>(this MessageClient client, TRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.StreamAsync<TRequest, TItem>(request, cancellationToken);
    }

    /// <summary>Requests a stream of items, by the declared contracts.</summary>
    /// <inheritdoc cref="StreamAsync{TRequest, TItem}(Peer, MessageContract{TRequest}, MessageContract{TItem}, TRequest, CancellationToken)"/>
    public static IAsyncEnumerable<TItem> StreamAsync<TRequest, TItem>(this Peer peer, TRequest request, CancellationToken cancellationToken = default) =>
        peer.StreamAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TItem>(), request, cancellationToken);

    /// <summary>Requests a stream of items. Each enumeration sends the request.</summary>
    /// <param name="peer">The peer that produces the items.</param>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="itemContract">The contract of the items.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Ends the enumeration and cancels the token of the remote handler. So does leaving the loop.</param>
    /// <returns>
    /// The items, in order. The enumeration throws the exceptions of a request: <see cref="RequestFaultException"/> when the handler failed, after the items before the failure;
    /// <see cref="RequestFailedException"/> when the peer disconnected or an item cannot be read; <see cref="OperationCanceledException"/> when the token was canceled;
    /// <see cref="TimeoutException"/> when the stream was not opened within <see cref="MessageHostOptions.RequestTimeout"/>. An open stream has no timeout.
    /// </returns>
    /// <remarks>Up to four blocks of 64 KiB are requested in advance. A block with one item larger than that has the size of the item.</remarks>
    public static IAsyncEnumerable<TItem> StreamAsync<TRequest, TItem>(
        this Peer peer,
        MessageContract<TRequest> contract,
        MessageContract<TItem> itemContract,
        TRequest request,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        return Stream(peer, contract, itemContract, request, cancellationToken);
    }

    /// <summary>Returns the events of a type as a stream, instead of an event handler. Up to 1024 events wait for the reader.</summary>
    /// <inheritdoc cref="Events{T}(MessageHost, int, CancellationToken)"/>
    public static EventStream<T> Events<T>(this MessageHost host, CancellationToken cancellationToken = default) => host.Events<T>(DefaultCapacity, cancellationToken);

    /// <summary>Returns the events of a type as a stream, instead of an event handler.</summary>
    /// <param name="host">The host.</param>
    /// <param name="capacity">The maximum number of events that wait for the reader (1 or more). At the limit, a further event replaces the oldest one, which is counted in <see cref="EventStream{T}.Lost"/>.</param>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <returns>The stream. It receives events from the call on, until it is disposed or its enumeration ends.</returns>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler or another stream, or when its id belongs to another type.</exception>
    /// <exception cref="NotSupportedException">Thrown when the type is pooled, so that its instances are reused after a handler.</exception>
    public static EventStream<T> Events<T>(this MessageHost host, int capacity, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(host);
        return new EventStream<T>(host, MessageContract.GetDeclared<T>(), capacity, cancellationToken);
    }

    /// <summary>Throws if the peer uses another contract.</summary>
    internal static void ThrowIfRefused(this Peer peer, MessageContract itemContract)
    {
        if (!peer.Connection.Contracts.Accepts(itemContract))
            throw Mismatch(peer.Connection.Contracts.DescribeRefusal(itemContract)?.ToString());
    }

    private static RequestFailedException Mismatch(string? cause) => new(RequestStatus.ContractMismatch, RequestFailedException.Describe(RequestStatus.ContractMismatch, cause));

    private static ItemsToRead<TItem> Stream<TRequest, TItem>(Peer peer, MessageContract contract, MessageContract<TItem> itemContract, TRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(itemContract);
        return new ItemsToRead<TItem>(peer, itemContract, token => ItemReader.OpenAsync(peer, contract, request, itemContract.IsSecret, null, token), cancellationToken);
    }

    private static ItemsToRead<TItem> StreamBoth<TRequest, TSent, TItem>(Peer peer, MessageContract contract, MessageContract<TSent> sentContract, MessageContract<TItem> itemContract, TRequest request, IAsyncEnumerable<TSent> items, CancellationToken cancellationToken) =>
        new ItemsToRead<TItem>(peer, itemContract, token => ItemReader.OpenAsync(peer, contract, request, itemContract.IsSecret, ItemsOf(peer, contract, sentContract, items), token), cancellationToken);

    private static async Task<TReply> SendAsync<TRequest, TItem, TReply>(Peer peer, MessageContract contract, MessageContract<TItem> itemContract, MessageContract<TReply> replyContract, TRequest request, IAsyncEnumerable<TItem> items, CancellationToken cancellationToken)
    {
        var sent = ItemsOf(peer, contract, itemContract, items);
        try
        {
            return await peer.Requests.Start(contract, replyContract, in request, StreamContracts.NoTimeout, cancellationToken, sent.AddToRequest).ReplyTask.ConfigureAwait(false);
        }
        finally
        {
            if (StreamTable.Of(peer.Host).EndItems(sent) is { } failure)
                ExceptionDispatchInfo.Throw(failure);
        }
    }

    private static void ThrowIfNull(Peer peer, object items)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(items);
    }

    /// <summary>Returns the items of a request as a stream.</summary>
    /// <exception cref="RequestFailedException">Thrown when the peer uses another contract for the items, or handles the request without them.</exception>
    private static ItemStream<TItem> ItemsOf<TItem>(Peer peer, MessageContract contract, MessageContract<TItem> itemContract, IAsyncEnumerable<TItem> items)
    {
        peer.ThrowIfRefused(itemContract);
        var remote = peer.Connection.Contracts;
        if (remote.IsAnnounced(contract.Type) && !remote.IsAnnounced(itemContract.Type))
            throw Mismatch($"The peer handles {contract.MessageType.Name}, but reads no items {itemContract.MessageType.Name} (id {itemContract.Type}) with it.");
        var stream = new ItemStream<TItem>(peer, contract.Type, itemContract, _ => items);
        stream.Open();
        return stream;
    }
}
