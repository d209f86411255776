using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A stream of the remote side that this side reads by pulls. Used by one reader at a time.</summary>
/// <param name="peer">The producer.</param>
/// <param name="number">The number of the stream.</param>
/// <param name="isSecret">Whether the contents are secret.</param>
/// <param name="blockSize">The size of the requested blocks, in bytes.</param>
/// <param name="longestPause">The longest time to wait for a block; <c>null</c> for no limit.</param>
internal sealed class IncomingStream(Peer peer, uint number, bool isSecret = false, int blockSize = IncomingStream.BlockSize, TimeSpan? longestPause = null) : IDisposable
{
    /// <summary>The default size of a block, in bytes.</summary>
    public const int BlockSize = 64 * 1024;

    /// <summary>The number of blocks that are requested in advance. The reader holds at most this number of unread blocks.</summary>
    private const int Window = 4;

    private readonly MessageContract<StreamBlock> _blockContract = StreamContracts.GetBlock(isSecret);
    private readonly Queue<Task<RequestResult<StreamBlock>>> _pulls = new(Window);
    private bool _hasEnded;

    /// <summary>Returns the next block, or <see cref="StreamBlock.End"/>. The caller returns its array.</summary>
    /// <exception cref="RequestFaultException">Thrown when the producer has failed.</exception>
    /// <exception cref="RequestFailedException">Thrown when the peer disconnected, or when a block cannot be read.</exception>
    /// <exception cref="TimeoutException">Thrown when no block arrived in time.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public async ValueTask<StreamBlock> ReadAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        while (!TryPull(out var size))
            await peer.Requests.WaitForRoomAsync(size).WaitAsync(cancellationToken).ConfigureAwait(false);
        var result = await _pulls.Peek().WaitAsync(longestPause ?? Timeout.InfiniteTimeSpan, cancellationToken).ConfigureAwait(false);
        _ = _pulls.Dequeue();
        _hasEnded = result is not { Status: RequestStatus.Replied, Reply.IsEnd: false };
        return result.GetReply();
    }

    /// <summary>Closes the stream on both sides, without a wait. Blocks that are under way are dropped. May be called more than once.</summary>
    public void Dispose()
    {
        var pulls = _pulls.ToArray();
        _pulls.Clear();
        _ = _hasEnded ? DropAsync(pulls) : CloseAsync(pulls);
        _hasEnded = true;
    }

    /// <summary>Requests blocks until enough requests are unanswered.</summary>
    /// <param name="size">The size of a request for which the peer has no room.</param>
    /// <returns><c>false</c> if no request is unanswered, because there is no room; otherwise, <c>true</c>.</returns>
    private bool TryPull(out int size)
    {
        size = 0;
        while (_pulls.Count < Window)
        {
            var pull = Send(blockSize, out var sent, out size);
            if (sent == SendStatus.Full)
                return _pulls.Count > 0;
            _pulls.Enqueue(pull);
        }

        return true;
    }

    private Task<RequestResult<StreamBlock>> Send(int maxBytes, out SendStatus sent, out int size) => peer.Requests.Start(
        StreamContracts.Pull, _blockContract, new StreamPull(number, maxBytes), StreamContracts.NoTimeout, out sent, out size, default).ResultTask.AsTask();

    private async Task CloseAsync(Task<RequestResult<StreamBlock>>[] pulls)
    {
        while (true)
        {
            var close = Send(0, out var sent, out var size);
            await close.ConfigureAwait(false);
            if (sent != SendStatus.Full)
                break;
            await peer.Requests.WaitForRoomAsync(size).ConfigureAwait(false);
        }

        await DropAsync(pulls).ConfigureAwait(false);
    }

    private async Task DropAsync(Task<RequestResult<StreamBlock>>[] pulls)
    {
        foreach (var pull in pulls)
            (await pull.ConfigureAwait(false)).Reply.Return(isSecret);
    }
}

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
        var opening = peer.Requests.StartCounted(contract, StreamContracts.Opened, in request, StreamContracts.NoTimeout, default).ResultTask.AsTask();
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
