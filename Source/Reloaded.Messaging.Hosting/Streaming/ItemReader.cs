using System.Runtime.ExceptionServices;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>Opens streams of the remote side and enumerates their items.</summary>
internal static class ItemReader
{
    /// <summary>Opens the stream of a reply. A stream that is opened after this call has ended is closed by the receive loop.</summary>
    /// <param name="peer">The producer.</param>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="request">The request.</param>
    /// <param name="isSecret">Whether the items are secret.</param>
    /// <param name="sent">The items of the request; <c>null</c> for none.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    public static async Task<IncomingStream> OpenAsync<TRequest>(Peer peer, MessageContract contract, TRequest request, bool isSecret, OutgoingStream? sent, CancellationToken cancellationToken)
    {
        try
        {
            var opened = await peer.Requests.Start(contract, StreamContracts.Opened, in request, null, cancellationToken, sent is null ? null : sent.AddToRequest).ReplyTask.ConfigureAwait(false);
            return new IncomingStream(peer, opened.Number, isSecret, beside: sent);
        }
        catch (Exception e)
        {
            if (sent is not null && StreamTable.Of(peer.Host).EndItems(sent) is { } failure)
                ExceptionDispatchInfo.Throw(failure);
            if (e is OperationCanceledException)
                cancellationToken.ThrowIfCancellationRequested(); // with the token
            throw;
        }
    }

    /// <summary>Reads the item of a block with one item, and returns the block.</summary>
    public static T ReadOne<T>(StreamBlock block, PayloadDecoder<T> decoder)
    {
        var position = 0;
        try
        {
            return ReadItem(block, ref position, decoder);
        }
        finally
        {
            block.Return(decoder.Contract.IsSecret);
        }
    }

    /// <summary>Reads the item at a position, and advances the position.</summary>
    public static T ReadItem<T>(StreamBlock block, ref int position, PayloadDecoder<T> decoder)
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
