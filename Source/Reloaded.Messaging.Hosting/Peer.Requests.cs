using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Requests, and the end of the connection.</content>
public sealed partial class Peer
{
    /// <summary>Sends a request and waits for its reply, whose type the request names. By the declared contracts of the request and the reply.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once. <see cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/> does not.</remarks>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.StartCounted(ContractOf(request), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request without a reply and waits until the remote handler has completed.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once.</remarks>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    /// <returns>The acknowledgement of the remote side. Await the task once.</returns>
    public ValueTask<Acknowledgement> RequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.StartCounted(ContractOf(request), Acknowledgement.Contract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request and waits for its reply, by the declared contracts of the request and the reply.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request. The remote side is notified.</param>
    /// <returns>The reply. Await the task once. Its continuation does not run on the receiving thread, unless <see cref="MessageHostOptions.AllowSynchronousContinuations"/> is set.</returns>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="TimeoutException">Thrown when no reply arrived within the timeout.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    /// <exception cref="RequestFailedException">Thrown when the request was not sent, when the peer disconnected, or when the reply cannot be read.</exception>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        RequestAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken);

    /// <summary>Sends a request and waits for its reply, by the given contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => Requests.StartCounted(contract, replyContract, in request, timeout, cancellationToken).ReplyTask;

    /// <summary>Sends a request, which names the type of its reply, and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once. <see cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/> does not.</remarks>
    /// <inheritdoc cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.StartCounted(ContractOf(request), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ResultTask;

    /// <summary>Sends a request without a reply and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <remarks>A request that is a struct is boxed: the call allocates it once.</remarks>
    /// <inheritdoc cref="TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    /// <returns>The status, which is <see cref="RequestStatus.Replied"/> if the remote handler has completed. Await the task once.</returns>
    public ValueTask<RequestResult<Acknowledgement>> TryRequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.StartCounted(ContractOf(request), Acknowledgement.Contract, in request, timeout, cancellationToken).ResultTask;

    /// <summary>Sends a request and waits until it ends. Throws only when the request cannot be packed or exceeds a limit of this side.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request. The remote side is notified.</param>
    /// <returns>The reply, or the status that describes the failure. Await the task once.</returns>
    /// <exception cref="MessageTooLargeException">Thrown when the request exceeds a limit of this host or of the transport.</exception>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        Requests.StartCounted(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken).ResultTask;

    /// <summary>Reads the state of the remote host, which must have called <see cref="MessageHost.AllowInspection"/>.</summary>
    /// <param name="timeout">The time to wait for the reply; <see langword="null"/> for <see cref="MessageHostOptions.RequestTimeout"/>.</param>
    /// <param name="cancellationToken">Cancels the request.</param>
    /// <returns>The state, or the status that describes the failure: <see cref="RequestStatus.Faulted"/> with <see cref="FaultCode.NoHandler"/> if the remote host does not allow inspections.</returns>
    public ValueTask<RequestResult<HostInspection>> InspectAsync(TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        TryRequestAsync<InspectHost, HostInspection>(new InspectHost(), timeout, cancellationToken);

    /// <summary>Returns the contract of a request that is passed as an interface.</summary>
    internal static MessageContract ContractOf(object request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return MessageContract.GetDeclared(request.GetType());
    }

    /// <summary>Sends a request that may be sent again. The caller counts its final status.</summary>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="request">The request.</param>
    /// <param name="timeout">The time to wait for the reply.</param>
    /// <param name="sent">Whether the request was sent, and otherwise the reason.</param>
    /// <param name="size">The size of the request in bytes, if <paramref name="sent"/> is <see cref="SendStatus.Full"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    internal ValueTask<RequestResult<TReply>> TryRequestUncountedAsync<TRequest, TReply>(
        MessageContract contract,
        in TRequest request,
        TimeSpan timeout,
        out SendStatus sent,
        out int size,
        CancellationToken cancellationToken) =>
        Requests.Start(contract, MessageContract.GetDeclared<TReply>(), in request, timeout, out sent, out size, cancellationToken).ResultTask;

    /// <summary>Counts an exception of a listener of spans or durations, and raises the host's event.</summary>
    internal Action<Exception> ObserverFailed => field ??= e => Host.Events.ReportFailure(this, 0, e); // created at the first observed message

    /// <summary>Ends the requests of both sides. Called once, on the thread that ended the connection.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="defersEvents">Whether to raise events on the thread pool, because the calling thread must not wait for them.</param>
    internal void OnEnded(DisconnectReason reason, bool defersEvents)
    {
        Requests.Unanswered.Close();
        Answering.Close();
        Fifo?.Close();
        Host.Registry.Forget(this, reason, defersEvents);
    }
}
