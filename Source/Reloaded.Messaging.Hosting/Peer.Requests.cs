using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Requests, and what the connection tells its peer.</content>
public sealed partial class Peer : IConnectionOwner
{
    /// <summary>Sends a request and waits for its reply, by the types' declared contracts.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait; null for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Ends the wait, and tells the other side.</param>
    /// <returns>The reply: to await once. Its continuation never runs on the thread that receives.</returns>
    /// <exception cref="RequestFaultException">The other side answered with a fault.</exception>
    /// <exception cref="TimeoutException">Nothing came in time.</exception>
    /// <exception cref="OperationCanceledException">The token ended it.</exception>
    /// <exception cref="RequestFailedException">It wasn't sent, the peer is gone, or the reply can't be read.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        RequestAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken);

    /// <summary>The same with contracts of the caller's.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Requests.StartCounted(contract, replyContract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for how it ends. Throws only when the request can't be packed or exceeds a limit of this side.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait; null for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Ends the wait, and tells the other side.</param>
    /// <returns>The reply, or why there is none: to await once.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.StartCounted(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ResultTask;

    /// <summary>The same for a request that may be tried again. The caller counts how it ends.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">How long to wait for the reply.</param>
    /// <param name="sent">Whether the request was sent and, if not, why.</param>
    /// <param name="size">The size of the request in bytes, if <paramref name="sent"/> is <see cref="SendStatus.Full"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal ValueTask<RequestResult<TReply>> TryRequestUncountedAsync<TRequest, TReply>(
        in TRequest request,
        TimeSpan timeout,
        out SendStatus sent,
        out int size,
        CancellationToken cancellationToken) =>
        Requests.Start(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, out sent, out size, cancellationToken).ResultTask;

    void IConnectionOwner.OnEnded(DisconnectReason reason, bool isAside)
    {
        Requests.Unanswered.Close();
        Answering.Close();
        Fifo?.Close();
        Host.Registry.Forget(this, reason, isAside);
    }

    void IConnectionOwner.ReportFailure(uint type, Exception exception) => Host.Events.ReportFailure(this, type, exception);

    void IConnectionOwner.ReportMismatch(ContractMismatch mismatch) => Host.Events.RaiseMismatch(this, mismatch);

    bool IConnectionOwner.EndLargestBacklog(int than) => Host.Registry.EndLargestBacklog(than);

    string? IConnectionOwner.DescribeDisposal() => Host.DescribeDisposal();
}
