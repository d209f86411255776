namespace Reloaded.Messaging.Hosting;

/// <content>Requests whose handlers report their progress.</content>
public static partial class HostStreams
{
    /// <summary>Registers a handler of requests that reports its progress, and that has no reply. By the declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReport, TReply}(MessageHost, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, Func{TRequest, IProgress{TReport}, Peer, CancellationToken, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReport>(this MessageHost host, Func<TRequest, IProgress<TReport>, CancellationToken, Task> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnRequest(
            MessageContract.GetDeclared<TRequest>(),
            MessageContract.GetDeclared<TReport>(),
            Acknowledgement.Contract,
            (TRequest request, IProgress<TReport> progress, Peer _, CancellationToken token) => Acknowledgement.AfterAsync(handler(request, progress, token)));
    }

    /// <summary>Registers a handler of requests that reports its progress, by the declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReport, TReply}(MessageHost, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, Func{TRequest, IProgress{TReport}, Peer, CancellationToken, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReport, TReply>(this MessageHost host, Func<TRequest, IProgress<TReport>, CancellationToken, Task<TReply>> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return host.OnRequest<TRequest, TReport, TReply>((request, progress, _, token) => handler(request, progress, token));
    }

    /// <summary>Registers a handler of requests that reports its progress, by the declared contracts.</summary>
    /// <inheritdoc cref="OnRequest{TRequest, TReport, TReply}(MessageHost, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, Func{TRequest, IProgress{TReport}, Peer, CancellationToken, Task{TReply}})"/>
    public static HandlerRegistration OnRequest<TRequest, TReport, TReply>(this MessageHost host, Func<TRequest, IProgress<TReport>, Peer, CancellationToken, Task<TReply>> handler) =>
        host.OnRequest(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReport>(), MessageContract.GetDeclared<TReply>(), handler);

    /// <summary>Registers a handler of requests that reports its progress.</summary>
    /// <param name="host">The host.</param>
    /// <param name="contract">The contract of the requests.</param>
    /// <param name="reportContract">The contract of the reports. The handshake compares it.</param>
    /// <param name="replyContract">The contract of the replies.</param>
    /// <param name="handler">
    /// Handles a request, and reports its progress at any time, on any thread. A report is serialized at once. It is dropped if the requester wants no reports. It replaces an earlier report that the requester has not
    /// requested yet. A report after the reply is dropped, and counted in <see cref="HostStatistics.LateReplies"/>. The token is canceled when the requester cancels the request or disconnects.
    /// </param>
    /// <returns>The registration. Dispose to refuse further requests; running handlers continue.</returns>
    /// <remarks>A peer may have 64 running requests with reports. A further request has no reports. In a pumped host, the handler runs inside of <see cref="MessageHost.Pump"/>.</remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type has a handler, or when the id of the request, the report or the reply belongs to another type.</exception>
    public static HandlerRegistration OnRequest<TRequest, TReport, TReply>(
        this MessageHost host,
        MessageContract<TRequest> contract,
        MessageContract<TReport> reportContract,
        MessageContract<TReply> replyContract,
        Func<TRequest, IProgress<TReport>, Peer, CancellationToken, Task<TReply>> handler)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(reportContract);
        ArgumentNullException.ThrowIfNull(replyContract);
        ArgumentNullException.ThrowIfNull(handler);
        _ = StreamTable.Of(host);
        host.AnnounceContract(reportContract);
        return host.Contracts.Register(contract, replyContract, host.Handlers.Prepare(contract, replyContract, (TRequest request, MessageContext context, CancellationToken token) =>
            new ValueTask<TReply>(handler(request, new RequestProgress<TReport>(context, reportContract), context.Peer, token))));
    }

    /// <summary>Sends a request to the server, receives the reports of its progress, and waits for its reply, whose type the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReport, TReply}(Peer, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, TRequest, IProgress{TReport}, CancellationToken)"/>
    public static Task<TReply> RequestAsync<TReport, TReply>(this MessageClient client, IRequest<TReply> request, IProgress<TReport> progress, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.RequestAsync(request, progress, cancellationToken);
    }

    /// <summary>Sends a request, receives the reports of its progress, and waits for its reply, whose type the request names. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReport, TReply}(Peer, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, TRequest, IProgress{TReport}, CancellationToken)"/>
    public static Task<TReply> RequestAsync<TReport, TReply>(this Peer peer, IRequest<TReply> request, IProgress<TReport> progress, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(progress);
        return SendAsync(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TReport>(), MessageContract.GetDeclared<TReply>(), request, progress, cancellationToken);
    }

    /// <summary>Sends a request without a reply to the server, receives the reports of its progress, and waits until its handler has completed. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReport, TReply}(Peer, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, TRequest, IProgress{TReport}, CancellationToken)"/>
    public static Task<Acknowledgement> RequestAsync<TReport>(this MessageClient client, IRequest request, IProgress<TReport> progress, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(client);
        return client.Server.RequestAsync(request, progress, cancellationToken);
    }

    /// <summary>Sends a request without a reply, receives the reports of its progress, and waits until its handler has completed. By the declared contracts.</summary>
    /// <inheritdoc cref="RequestAsync{TRequest, TReport, TReply}(Peer, MessageContract{TRequest}, MessageContract{TReport}, MessageContract{TReply}, TRequest, IProgress{TReport}, CancellationToken)"/>
    public static Task<Acknowledgement> RequestAsync<TReport>(this Peer peer, IRequest request, IProgress<TReport> progress, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(progress);
        return SendAsync(peer, Peer.ContractOf(request), MessageContract.GetDeclared<TReport>(), Acknowledgement.Contract, request, progress, cancellationToken);
    }

    /// <summary>Sends a request, receives the reports of its progress, and waits for its reply.</summary>
    /// <param name="peer">The peer that handles the request.</param>
    /// <param name="contract">The contract of the request.</param>
    /// <param name="reportContract">The contract of the reports.</param>
    /// <param name="replyContract">The contract of the reply.</param>
    /// <param name="request">The request.</param>
    /// <param name="progress">
    /// Receives the reports in order, one at a time, and not after the call: on the thread pool. A report that arrives during a call of <see cref="IProgress{T}.Report"/> waits, and the remote side keeps only the newest of the further ones.
    /// Its exception ends the reports, and is reported by <see cref="MessageHost.HandlerFailed"/>, as are reports that cannot be read.
    /// </param>
    /// <param name="cancellationToken">Cancels the request, and the token of the remote handler.</param>
    /// <returns>The reply. The call completes after the last report. A handler that reports nothing, or more requests than its host allows, has no reports.</returns>
    /// <remarks>The request has no timeout, and is not sent again after a reconnection.</remarks>
    /// <exception cref="RequestFaultException">Thrown when the remote side replied with a fault.</exception>
    /// <exception cref="RequestFailedException">Thrown when the request was not sent, when the peer uses another contract of the reports, when it disconnected, or when the reply cannot be read.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token was canceled.</exception>
    public static Task<TReply> RequestAsync<TRequest, TReport, TReply>(
        this Peer peer,
        MessageContract<TRequest> contract,
        MessageContract<TReport> reportContract,
        MessageContract<TReply> replyContract,
        TRequest request,
        IProgress<TReport> progress,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(progress);
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(reportContract);
        ArgumentNullException.ThrowIfNull(replyContract);
        return SendAsync(peer, contract, reportContract, replyContract, request, progress, cancellationToken);
    }

    private static async Task<TReply> SendAsync<TRequest, TReport, TReply>(Peer peer, MessageContract contract, MessageContract<TReport> reportContract, MessageContract<TReply> replyContract, TRequest request, IProgress<TReport> progress, CancellationToken cancellationToken)
    {
        peer.ThrowIfRefused(reportContract);
        using var reports = new IncomingStream(peer, StreamTable.ReportsOfRequest, reportContract.IsSecret, StreamPull.OpensReports);
        var replying = peer.Requests.StartAttempt(contract, replyContract, in request, StreamContracts.NoTimeout, out var sent, out _, cancellationToken, peer.Host.Resources.Requests, reports.OpenReports).ReplyTask;
        _ = peer.Connection.Sender.Count(sent);
        var isCanceled = false;
        if (sent == SendStatus.Sent)
            await Task.Run(ReadAsync, CancellationToken.None).ConfigureAwait(false); // a report may have arrived, and progress may block
        var reply = default(TReply)!;
        try
        {
            reply = await replying.ConfigureAwait(false);
        }
        catch (RequestFaultException) when (isCanceled)
        {
            // thrown as a cancellation, like a reply
        }

        if (isCanceled)
            cancellationToken.ThrowIfCancellationRequested(); // the last report was not read
        return reply;

        async Task ReadAsync()
        {
            try
            {
                var decoder = new PayloadDecoder<TReport>(reportContract, peer.Host.Options.MessageLimits);
                for (var hasEnded = false; !hasEnded;)
                {
                    var block = await reports.ReadAsync(cancellationToken).ConfigureAwait(false); // the remote side ends the reports before it replies
                    hasEnded = block.IsEnd;
                    if (block.Length > 0)
                        progress.Report(ItemReader.ReadOne(block, decoder));
                }
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                isCanceled = true;
            }
            catch (Exception e)
            {
                if (e is not RequestFailedException { Status: RequestStatus.Disconnected or RequestStatus.NotSent }) // for these, the request ends too
                    peer.Host.Events.ReportFailure(peer, reportContract.Type, e);
            }
        }
    }
}
