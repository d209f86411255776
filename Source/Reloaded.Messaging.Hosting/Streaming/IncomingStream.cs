using System.Runtime.ExceptionServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>A stream of the remote side that this side reads by pulls. Used by one reader at a time.</summary>
/// <param name="peer">The producer.</param>
/// <param name="number">The number of the stream in the <see cref="StreamTable"/> of the producer.</param>
/// <param name="isSecret">Whether the contents are secret.</param>
/// <param name="blockSize">The size of the requested blocks, in bytes.</param>
/// <param name="longestPause">The longest time to wait for a block; <c>null</c> for no limit.</param>
/// <param name="beside">The stream in the other direction, which ends with this one; <c>null</c> for none.</param>
internal sealed class IncomingStream(Peer peer, long number, bool isSecret = false, int blockSize = IncomingStream.BlockSize, TimeSpan? longestPause = null, OutgoingStream? beside = null) : IDisposable
{
    /// <summary>The default size of a block, in bytes.</summary>
    public const int BlockSize = 64 * 1024;

    /// <summary>The number of blocks that are requested in advance. The reader holds at most this number of unread blocks.</summary>
    private const int Window = 4;

    private readonly int _window = number >= StreamTable.ReportsOfRequest ? RequestReports.Window : Window;

    private readonly MessageContract<StreamBlock> _blockContract = StreamContracts.GetBlock(isSecret);
    private readonly Queue<Task<RequestResult<StreamBlock>>> _pulls = new(Window);
    private uint _number = (uint)number;
    private int _blockSize = blockSize;
    private bool _hasEnded = number == StreamTable.ReportsOfRequest; // until the reports are opened

    /// <summary>Whether a read has thrown because the requester no longer waits for the reply.</summary>
    public bool IsCanceled { get; private set; }

    /// <summary>Returns the next block, or <see cref="StreamBlock.End"/>. The caller returns its array.</summary>
    /// <exception cref="RequestFaultException">Thrown when the producer has failed.</exception>
    /// <exception cref="RequestFailedException">Thrown when the peer disconnected, or when a block cannot be read.</exception>
    /// <exception cref="TimeoutException">Thrown when no block arrived in time.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled, or when the requester no longer waits for the reply to the request with these items.</exception>
    public async ValueTask<StreamBlock> ReadAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var pause = longestPause ?? Timeout.InfiniteTimeSpan;
        while (!TryPull(out var size) && (_pulls.Count == 0 || !_pulls.Peek().IsCompleted))
        {
            var room = peer.Requests.WaitForRoomAsync(size);
            await (_pulls.Count > 0 ? Task.WhenAny(room, _pulls.Peek()) : room).WaitAsync(pause, cancellationToken).ConfigureAwait(false);
        }

        var result = await _pulls.Peek().WaitAsync(pause, cancellationToken).ConfigureAwait(false);
        _ = _pulls.Dequeue();
        var isLast = result is not { Status: RequestStatus.Replied, Reply.IsEnd: false };
        _hasEnded = isLast && result is not ({ Status: RequestStatus.InvalidReply } or { Fault.Code: FaultCode.OverRate }); // for these, the producer still has the stream
        if (IsOfRequest && (result.Status is RequestStatus.Disconnected or RequestStatus.NotSent || result.Fault?.Code == FaultCode.Canceled))
        {
            IsCanceled = true;
            beside?.Abort(); // its consumer is this requester, which may read it although it has sent no items
            throw new OperationCanceledException(result.Fault?.Message ?? "The requester has disconnected.");
        }

        if (isLast && !IsOfRequest && beside?.Abort() is { } failure)
            ExceptionDispatchInfo.Throw(failure);
        return result.GetReply();
    }

    /// <summary>Closes the stream on both sides, without a wait. Blocks that are under way are dropped. May be called more than once.</summary>
    public void Dispose()
    {
        var pulls = _pulls.ToArray();
        _pulls.Clear();
        if (!IsOfRequest && beside is not null && StreamTable.Of(peer.Host).EndItems(beside) is { } failure)
            peer.Host.Events.ReportFailure(peer, LibraryTypes.ItemPull, failure);
        _ = DropAsync(pulls, isOpen: !_hasEnded);
        _hasEnded = true;
    }

    /// <summary>Opens the reports of a request that is about to be sent.</summary>
    /// <exception cref="RequestFailedException">Thrown when the peer has no room. The request is not sent.</exception>
    public void OpenReports(uint correlationId)
    {
        (_number, _hasEnded) = (correlationId, false);
        if (!TryPull(out _))
            throw new RequestFailedException(RequestStatus.Full);
        _blockSize = StreamPull.NextReport;
    }

    private bool IsOfRequest => number is >= StreamTable.ItemsOfRequest and < StreamTable.ReportsOfRequest;

    /// <summary>Requests blocks until enough requests are unanswered.</summary>
    /// <param name="size">The size of a request for which the peer has no room.</param>
    /// <returns><c>false</c> if there is no room for one of them; otherwise, <c>true</c>.</returns>
    private bool TryPull(out int size)
    {
        size = 0;
        while (_pulls.Count < _window)
        {
            var pull = Send(_blockSize, out var sent, out size);
            if (sent == SendStatus.Full)
                return false;
            _pulls.Enqueue(pull);
        }

        return true;
    }

    private Task<RequestResult<StreamBlock>> Send(int maxBytes, out SendStatus sent, out int size) => peer.Requests.StartAttempt(
        number < StreamTable.ItemsOfRequest ? StreamContracts.Pull : IsOfRequest ? StreamContracts.ItemPull : StreamContracts.ReportPull, _blockContract, new StreamPull(_number, maxBytes), StreamContracts.NoTimeout, out sent, out size, default).ResultTask.AsTask();

    /// <summary>Drops the blocks of pulls that are under way, after a close if the stream is open.</summary>
    private async Task DropAsync(Task<RequestResult<StreamBlock>>[] pulls, bool isOpen)
    {
        while (isOpen)
        {
            var close = Send(0, out var sent, out var size);
            await close.ConfigureAwait(false);
            isOpen = sent == SendStatus.Full;
            if (isOpen)
                await peer.Requests.WaitForRoomAsync(size).ConfigureAwait(false);
        }

        foreach (var pull in pulls)
            (await pull.ConfigureAwait(false)).Reply.Return(isSecret);
    }
}
