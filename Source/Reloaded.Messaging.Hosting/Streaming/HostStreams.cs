using System;
using System.Collections.Generic;
using System.Threading;

namespace Reloaded.Messaging.Hosting;

/// <summary>Streams of messages between hosts: replies with any number of items, and events as a stream.</summary>
public static class HostStreams
{
    private const int DefaultCapacity = 1024;

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
            var stream = new ItemStream<TItem>(peer, contract.Type, itemContract, token => handler(opened, peer, token));
            table.AddOpened(stream);
            try
            {
                stream.Open();
            }
            catch
            {
                stream.Dispose();
                throw;
            }

            return new StreamOpened(stream.Number);
        });
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
        peer.ThrowIfUnreliable();
        return ItemReader.ReadAsync(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TItem>(), request, cancellationToken);
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
    /// <exception cref="NotSupportedException">Thrown when the transport may lose messages, as UDP does.</exception>
    public static IAsyncEnumerable<TItem> StreamAsync<TRequest, TItem>(
        this Peer peer,
        MessageContract<TRequest> contract,
        MessageContract<TItem> itemContract,
        TRequest request,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(itemContract);
        peer.ThrowIfUnreliable();
        return ItemReader.ReadAsync(peer, contract, itemContract, request, cancellationToken);
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

    /// <summary>Throws if messages between the sides may be lost or reordered, or have no correlation ids.</summary>
    internal static void ThrowIfUnreliable(this Peer peer)
    {
        if (IsUnreliable(peer))
            throw new NotSupportedException(DescribeUnreliable(peer));
    }

    internal static bool IsUnreliable(Peer peer) => peer.Connection.MayLoseMessages;

    /// <summary>Returns the reason why a connection has no streams, and the alternatives.</summary>
    internal static string DescribeUnreliable(Peer peer) =>
        $"Streams and files need a transport that delivers every message in order. The connection to {peer.RemoteName} uses a transport of datagrams. Use TCP, a local endpoint or a WebSocket.";
}
