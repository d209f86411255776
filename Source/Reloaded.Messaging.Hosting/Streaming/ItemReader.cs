using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Opens a stream of the remote side and enumerates its items.</summary>
internal static class ItemReader
{
    public static async IAsyncEnumerable<TItem> ReadAsync<TRequest, TItem>(
        Peer peer,
        MessageContract contract,
        MessageContract<TItem> itemContract,
        TRequest request,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        if (!peer.Connection.Contracts.Accepts(itemContract))
            throw new RequestFailedException(RequestStatus.ContractMismatch, RequestFailedException.Describe(RequestStatus.ContractMismatch, peer.Connection.Contracts.DescribeRefusal(itemContract)?.ToString()));
        var number = await OpenAsync(peer, contract, request, cancellationToken).ConfigureAwait(false);
        using var stream = new IncomingStream(peer, number, itemContract.IsSecret);
        var decoder = new PayloadDecoder<TItem>(itemContract, peer.Host.Options.MessageLimits);
        while (true)
        {
            var block = await stream.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (block.IsEnd)
                break;
            try
            {
                for (var position = 0; position < block.Length;)
                    yield return ReadItem(block, ref position, decoder);
            }
            finally
            {
                block.Return(itemContract.IsSecret);
            }

            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <summary>Opens a stream. If the caller no longer waits, a stream that is opened later is closed.</summary>
    private static async Task<uint> OpenAsync<TRequest>(Peer peer, MessageContract contract, TRequest request, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var timeout = peer.Host.Options.RequestTimeout;
        var opening = peer.Requests.Start(contract, StreamContracts.Opened, in request, StreamContracts.NoTimeout, default).ResultTask.AsTask();
        try
        {
            var wait = timeout.TotalMilliseconds > int.MaxValue ? Timeout.InfiniteTimeSpan : timeout; // a timer refuses a wait of 50 days
            return (await opening.WaitAsync(wait, cancellationToken).ConfigureAwait(false)).GetReply().Number;
        }
        catch (TimeoutException)
        {
            _ = CloseLateAsync(peer, opening);
            throw new TimeoutException($"The remote side did not open the stream for {typeof(TRequest).Name} within {nameof(MessageHostOptions)}.{nameof(MessageHostOptions.RequestTimeout)} ({timeout}). Raise the timeout, or check the remote side.");
        }
        catch (OperationCanceledException)
        {
            _ = CloseLateAsync(peer, opening);
            throw;
        }
    }

    private static async Task CloseLateAsync(Peer peer, Task<RequestResult<StreamOpened>> opening)
    {
        if (await opening.ConfigureAwait(false) is { Status: RequestStatus.Replied, Reply.Number: var number })
            new IncomingStream(peer, number).Dispose();
    }

    /// <summary>Reads the item at a position, and advances the position.</summary>
    private static T ReadItem<T>(StreamBlock block, ref int position, PayloadDecoder<T> decoder)
    {
        var rest = block.Memory.Span.Slice(position);
        var before = rest.Length;
        if (Frame.TryRead(ref rest, int.MaxValue, out var message) != FrameStatus.Ok
            || !ReceivedMessage.TryRead(message, out var received)
            || received.Header.Type != decoder.Contract.Type
            || received.Header.Kind != MessageKind.Event
            || !decoder.TryDecode(received.Header, received.Payload, out var item, out _))
        {
            throw new RequestFailedException(RequestStatus.InvalidReply, RequestFailedException.Describe(RequestStatus.InvalidReply, $"An item of the stream is not a valid {typeof(T)} (id {decoder.Contract.Type})."));
        }

        position += before - rest.Length;
        return item;
    }
}
