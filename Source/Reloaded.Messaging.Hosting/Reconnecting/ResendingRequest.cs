using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>A request of a client that is sent again, over the next connection, when its connection is lost before the reply arrives.</summary>
/// <param name="client">The client.</param>
/// <param name="queue">Orders the requests of the client that wait for a connection.</param>
/// <param name="contract">The contract of the request.</param>
/// <param name="replyContract">The contract of the reply.</param>
/// <param name="request">The request. It is packed again for each attempt.</param>
/// <param name="timeout">The time for all attempts.</param>
/// <param name="cancellationToken">Cancels the request.</param>
internal sealed class ResendingRequest<TRequest, TReply>(
    MessageClient client,
    ResendQueue<Peer> queue,
    MessageContract contract,
    MessageContract<TReply> replyContract,
    TRequest request,
    TimeSpan timeout,
    CancellationToken cancellationToken)
{
    /// <summary>The longest delay that the timers of every runtime accept.</summary>
    private static readonly TimeSpan s_longestWait = TimeSpan.FromDays(24);

    private readonly TRequest _request = request;
    private readonly long _begun = TimeProvider.System.GetTimestamp();
    private bool _wasSent; // a connection was lost after the request was sent, so the server may have handled it

    private TimeSpan Left => timeout - TimeProvider.System.GetElapsedTime(_begun);

    /// <summary>Sends the request, until it ends for another reason than a lost connection. Its status is counted once.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<RequestResult<TReply>> RunAsync()
    {
        if (!queue.TryEnter(out var place))
            return Counted(new RequestResult<TReply>(RequestStatus.Full, default, null));
        try
        {
            for (Peer? peer = null; ;)
            {
                var slot = await queue.WaitForSlotAsync(place, peer, Left, cancellationToken).ConfigureAwait(false);
                ValueTask<RequestResult<TReply>> reply;
                try
                {
                    peer = slot.Peer;
                    if (peer is null || (Left <= TimeSpan.Zero && (_wasSent || slot.Taken is not null)))
                        return Counted(DescribeEnd(in slot));
                    if (_wasSent)
                        client.CountResent();
                    reply = slot.Taken is null ? Send(peer) : new ValueTask<RequestResult<TReply>>(await SendInOrderAsync(peer).ConfigureAwait(false));
                }
                finally
                {
                    slot.End();
                }

                var result = await reply.ConfigureAwait(false);
                if (!WasLost(in result))
                    return Counted(result);
                _wasSent |= result.Status == RequestStatus.Disconnected;
            }
        }
        finally
        {
            queue.Leave();
        }
    }

    /// <summary>Whether an attempt ended because the connection was lost, or because the server stops.</summary>
    private static bool WasLost(in RequestResult<TReply> result) =>
        result is { Status: RequestStatus.Disconnected or RequestStatus.NotSent } or { Status: RequestStatus.Faulted, Fault.Code: FaultCode.Stopping };

    private static TimeSpan Min(TimeSpan left, TimeSpan right) => left < right ? left : right;

    private ValueTask<RequestResult<TReply>> Send(Peer peer)
    {
        var left = Left;
        return peer.Requests.StartAttempt(contract, replyContract, in _request, left > TimeSpan.Zero ? left : timeout, out _, out _, cancellationToken).ResultTask;
    }

    /// <summary>Sends the request, which waited for its slot. Replies make room for it, and later requests are not sent before it.</summary>
    /// <returns>The reply, once the request was sent.</returns>
    private async Task<Task<RequestResult<TReply>>> SendInOrderAsync(Peer peer)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, client.Stopping);
        while (true)
        {
            var left = Left; // read once, because a later value may be negative
            if (left <= TimeSpan.Zero)
                return Task.FromResult(TimeOut());
            var reply = peer.Requests.StartAttempt(contract, replyContract, in _request, left, out var sent, out var size, cancellationToken).ResultTask.AsTask();
            if (sent != SendStatus.Full)
                return reply;
            await peer.Requests.WaitForRoomAsync(size).WaitAsync(Min(left, s_longestWait), either.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (client.Stopping.IsCancellationRequested)
                return Task.FromResult(new RequestResult<TReply>(RequestStatus.NotSent, default, null));
        }
    }

    /// <summary>Returns the result of a request that has no slot, or whose slot comes too late.</summary>
    private RequestResult<TReply> DescribeEnd(in ResendSlot<Peer> slot)
    {
        if (cancellationToken.IsCancellationRequested)
            return new RequestResult<TReply>(RequestStatus.Canceled, default, null);
        if (!slot.IsLast)
            return TimeOut();
        var status = _wasSent ? RequestStatus.Disconnected : RequestStatus.NotSent;
        return new RequestResult<TReply>(status, default, null) { Detail = RequestFailedException.Describe(status, client.DescribeDisposal() ?? "The client no longer reconnects.") };
    }

    private RequestResult<TReply> TimeOut()
    {
        client.RequestCounters.CountTimeout();
        return RequestResult<TReply>.TimedOutAfter(timeout);
    }

    private RequestResult<TReply> Counted(RequestResult<TReply> result)
    {
        client.Server.Requests.Count(result.Status);
        return result;
    }
}
