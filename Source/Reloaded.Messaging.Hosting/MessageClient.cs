namespace Reloaded.Messaging.Hosting;

/// <summary>A client of one server. Created by <see cref="MessageHost.ConnectAsync"/>.</summary>
/// <example><code>
/// var options = new MessageHostOptions { Reconnect = new ReconnectOptions() }; // waits for the server, and connects again
/// await using var client = await MessageHost.ConnectAsync(
///     MessageEndpoint.Local("chat"),
///     host =&gt; host.On((Say say) =&gt; Console.WriteLine(say.Text)),
///     options);
/// SendStatus status = client.Send(new Say("hello"));
///
/// [Message(3)] public sealed record Say(string Text);
/// </code></example>
public sealed class MessageClient : MessageHost
{
    private readonly Dialer _dialer;
    private readonly ConnectionSignal _connection = new();
    private readonly ResendQueue<Peer>? _resendQueue;
    private readonly CancellationTokenSource _stopping = new();
    private ReadOnlyMemory<byte> _token;
    private Peer _server;
    private Task _starting = Task.CompletedTask;
    private Task _keeping = Task.CompletedTask;
    private long _reconnects;
    private long _resent;

    internal MessageClient(Dialer dialer, TransportChannel channel, ReadOnlyMemory<byte> token, MessageHostOptions options)
        : base(options, dialer.Endpoint, dialer.Context)
    {
        _dialer = dialer;
        _token = token;
        try
        {
            _server = Registry.Add(MakePeer(channel));
        }
        catch
        {
            Unregister(); // a property of the channel threw
            throw;
        }

        _resendQueue = options.Reconnect is { ResendsRequests: true } ? new ResendQueue<Peer>(options.Limits.MaxUnansweredRequests, static peer => peer.IsConnected && peer.Connection.State != ConnectionState.Closing) : null;
    }

    /// <summary>Raised when an attempt to reconnect failed, with the reason. The client then makes the next attempt. Return soon.</summary>
    public event Action<Exception>? ReconnectFailed;

    /// <summary>The server as a peer. With <see cref="MessageHostOptions.Reconnect"/>, each new connection has a new peer. Until then, the value is the peer of the lost connection.</summary>
    /// <remarks>In the callback of <see cref="MessageHost.ConnectAsync"/>, the server is not connected yet: sends return <see cref="SendStatus.Closed"/>, and requests end as <see cref="RequestStatus.NotSent"/>.</remarks>
    public Peer Server => Volatile.Read(ref _server);

    /// <summary>Whether the client is connected, is connecting, or has given up.</summary>
    /// <remarks>
    /// <see cref="MessageHost.PeerConnected"/> is raised when the client is connected, and <see cref="MessageHost.PeerDisconnected"/> when the connection ends.
    /// No event is raised when the client gives up: <see cref="WaitForConnectionAsync"/> throws then.
    /// </remarks>
    public ClientState State => GetState(Server);

    /// <summary>The number of times that the client has reconnected.</summary>
    public long Reconnects => Volatile.Read(ref _reconnects);

    /// <summary>The number of requests that were sent again because the connection was lost before their reply arrived.</summary>
    public long ResentRequests => Volatile.Read(ref _resent);

    /// <summary>Waits until the client is connected. Completes at once if the client is connected.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The connected server. The connection may be lost again at any time.</returns>
    /// <exception cref="TransportClosedException">Thrown when the client will not connect again: it was disposed, it has no <see cref="MessageHostOptions.Reconnect"/>, or the policy gave up.</exception>
    /// <exception cref="OperationCanceledException">Thrown when the token is canceled.</exception>
    public async Task<Peer> WaitForConnectionAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            var changed = _connection.Changed; // before the state is read, so that no change is missed
            var server = Server;
            switch (GetState(server))
            {
                case ClientState.Connected:
                    return server;
                case ClientState.Disconnected:
                    throw new TransportClosedException(DescribeDisposal() ?? $"The connection to {server.RemoteName} ended: {server.Disconnected}. " + (Options.Reconnect is null
                        ? "The client does not reconnect. Create a new client, or set MessageHostOptions.Reconnect."
                        : "The client no longer reconnects. Create a new client, or let ReconnectOptions.NextEndpoint return an endpoint."));
                default:
                    await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
                    break;
            }
        }
    }

    /// <inheritdoc cref="Peer.Send{T}(in T)"/>
    public SendStatus Send<T>(in T message) => Server.Send(in message);

    /// <inheritdoc cref="Peer.Send{T}(MessageContract{T}, in T)"/>
    public SendStatus Send<T>(MessageContract<T> contract, in T message) => Server.Send(contract, in message);

    /// <inheritdoc cref="Peer.Send(PackedMessage)"/>
    public SendStatus Send(PackedMessage message) => Server.Send(message);

    /// <inheritdoc cref="Peer.SendAsync{T}(T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(T message, CancellationToken cancellationToken = default) => Server.SendAsync(message, cancellationToken);

    /// <inheritdoc cref="Peer.SendAsync{T}(MessageContract{T}, T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(MessageContract<T> contract, T message, CancellationToken cancellationToken = default) => Server.SendAsync(contract, message, cancellationToken);

    /// <inheritdoc cref="Peer.SendAsync(PackedMessage, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync(PackedMessage message, CancellationToken cancellationToken = default) => Server.SendAsync(message, cancellationToken);

    /// <inheritdoc cref="Peer.RequestAsync{TReply}(IRequest{TReply}, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.RequestAsync(request, timeout, cancellationToken)
        : GetReplyAsync(TryRequestAsync(request, timeout, cancellationToken));

    /// <inheritdoc cref="Peer.RequestAsync(IRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<Acknowledgement> RequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.RequestAsync(request, timeout, cancellationToken)
        : GetReplyAsync(TryRequestAsync(request, timeout, cancellationToken));

    /// <inheritdoc cref="Peer.RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        RequestAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.RequestAsync{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.RequestAsync(contract, replyContract, in request, timeout, cancellationToken)
        : GetReplyAsync(TryRequestAsync(contract, replyContract, in request, timeout, cancellationToken));

    /// <inheritdoc cref="Peer.TryRequestAsync{TReply}(IRequest{TReply}, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.TryRequestAsync(request, timeout, cancellationToken)
        : RequestWithResendAsync(_resendQueue, Peer.ContractOf(request), MessageContract.GetDeclared<TReply>(), request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.TryRequestAsync(IRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<Acknowledgement>> TryRequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.TryRequestAsync(request, timeout, cancellationToken)
        : RequestWithResendAsync(_resendQueue, Peer.ContractOf(request), Acknowledgement.Contract, request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) =>
        TryRequestAsync(MessageContract.GetDeclared<TRequest>(), MessageContract.GetDeclared<TReply>(), in request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.TryRequestAsync{TRequest, TReply}(MessageContract{TRequest}, MessageContract{TReply}, in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(
        MessageContract<TRequest> contract,
        MessageContract<TReply> replyContract,
        in TRequest request,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default)
    {
        if (_resendQueue is null)
            return Server.TryRequestAsync(contract, replyContract, in request, timeout, cancellationToken);
        ArgumentNullException.ThrowIfNull(contract);
        ArgumentNullException.ThrowIfNull(replyContract);
        return RequestWithResendAsync(_resendQueue, contract, replyContract, request, timeout, cancellationToken);
    }

    internal override ReadOnlyMemory<byte> Token => _token;

    internal Task StartAsync(CancellationToken cancellationToken) => _starting = ConnectFirstAsync(cancellationToken);

    /// <summary>Canceled when the client is disposed.</summary>
    internal CancellationToken Stopping => _stopping.Token;

    internal override bool IsServer => false;

    /// <summary>Counts a request that is sent again: see <see cref="ResentRequests"/>.</summary>
    internal void CountResent() => Interlocked.Increment(ref _resent);

    internal override void NoteHandshake(Peer peer) => Volatile.Write(ref _server, peer);

    private protected override void ThrowIfNoAuthentication() => throw new NotSupportedException(
        "A client cannot check credentials. Call OnAuthenticate on the server. To check the server, use Token, Protection or TlsOptions.");

    private protected override async ValueTask StopListeningAsync()
    {
        await Events.CallAsync(Server, () => new ValueTask(_stopping.CancelAsync())).ConfigureAwait(false); // a transport may register callbacks at the token
        await _starting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // the caller of ConnectAsync gets the exception
        await _keeping.ConfigureAwait(false);
        _resendQueue?.Close();
        _connection.Stop();
    }

    private ClientState GetState(Peer server) =>
        server.IsConnected ? ClientState.Connected
        : _connection.IsStopped || (Options.Reconnect is null && server.Disconnected is not null) ? ClientState.Disconnected
        : ClientState.Connecting;

    /// <summary>Completes the first connection. Disposing the client cancels it, because the program has the client from the callback on.</summary>
    private async Task ConnectFirstAsync(CancellationToken cancellationToken)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, Stopping);
        try
        {
            either.Token.ThrowIfCancellationRequested();
            await HandshakeAsync(Server, either.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (either.IsCancellationRequested && e is OperationCanceledException or HandshakeException)
        {
            throw _dialer.Canceled(e as HandshakeException, cancellationToken);
        }
        catch (HandshakeException e) when (Options.Reconnect is not null && Dialer.IsTransient(e))
        {
            if (!await ReconnectAsync(e, isFirst: true, either.Token).ConfigureAwait(false))
                throw;
        }

        if (_resendQueue is not null)
            await _resendQueue.OpenAsync(Server, either.Token).ConfigureAwait(false);
        if (Options.Reconnect is not null)
            _keeping = Detached.Run(() => KeepConnectedAsync(Stopping));
    }

    private async Task KeepConnectedAsync(CancellationToken stopping)
    {
        try
        {
            while (true)
            {
                var since = Environment.TickCount64;
                var lost = Server;
                await lost.Connection.WaitForEndAsync(stopping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                if (stopping.IsCancellationRequested || lost.Disconnected is DisconnectReason.Requested or DisconnectReason.Kicked)
                    return;

                _dialer.NoteLost(TimeSpan.FromMilliseconds(Environment.TickCount64 - since), lost.GoodbyeReason is DisconnectReason.TooManyMessages or DisconnectReason.TooManyBytes or DisconnectReason.Banned);
                var failure = new TransportClosedException($"The connection to {lost.RemoteName} ended: {lost.Disconnected}.");
                if (!await ReconnectAsync(failure, isFirst: false, stopping).ConfigureAwait(false))
                    return;
                Interlocked.Increment(ref _reconnects);
                if (_resendQueue is not null)
                    await _resendQueue.OpenAsync(Server, stopping).ConfigureAwait(false);
            }
        }
        catch (Exception e)
        {
            if (!stopping.IsCancellationRequested)
                _ = Events.RaiseLater(() => Events.ReportFailure(Server, 0, e)); // a failure of the program outside of an attempt, such as a name of its transport that throws
        }
        finally
        {
            _resendQueue?.Close();
            _connection.Stop();
        }
    }

    /// <returns><c>false</c> if the reconnect policy gives up.</returns>
    private async Task<bool> ReconnectAsync(Exception failure, bool isFirst, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                if (!await _dialer.TryAgainAsync(failure, cancellationToken).ConfigureAwait(false))
                    return false;
                var (channel, token) = await _dialer.DialAsync(cancellationToken).ConfigureAwait(false);
                _token = token;
                await HandshakeAsync(Registry.Add(await MakePeerAsync(channel).ConfigureAwait(false)), cancellationToken).ConfigureAwait(false);
                return true;
            }
            catch (Exception e) when (!cancellationToken.IsCancellationRequested && (!isFirst || Dialer.IsTransient(e)))
            {
                // A client that was connected once continues after an exception of NextEndpoint, because no caller could receive the exception.
                failure = e;
                await Events.RaiseLater(() => ReportAttempt(e)).WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // an event handler may dispose the client, which waits for this task
            }
            catch (Exception e) when (isFirst && cancellationToken.IsCancellationRequested && (e is OperationCanceledException || Dialer.IsTransient(e)))
            {
                throw _dialer.Canceled(e is OperationCanceledException ? failure : e, cancellationToken);
            }
        }
    }

    private void ReportAttempt(Exception failure)
    {
        if (!Dialer.MayPass(failure) && failure is not UnauthorizedAccessException)
            Events.ReportFailure(Server, 0, failure);
        Events.Call(Server, () => ReconnectFailed?.Invoke(failure));
    }

    private async Task HandshakeAsync(Peer peer, CancellationToken cancellationToken)
    {
        if (await Registry.StartAsync(peer).WaitAsync(cancellationToken).ConfigureAwait(false) is { } refused)
            throw new HandshakeException(refused, _dialer.Endpoint.ToString(), peer.Connection.Contracts.Refusal?.OurView.ToString() ?? peer.GoodbyeText);
        _connection.NoteChange();
    }

    private ValueTask<RequestResult<TReply>> RequestWithResendAsync<TRequest, TReply>(ResendQueue<Peer> queue, MessageContract contract, MessageContract<TReply> replyContract, TRequest request, TimeSpan? timeout, CancellationToken cancellationToken) =>
        new ResendingRequest<TRequest, TReply>(this, queue, contract, replyContract, request, timeout ?? Options.RequestTimeout, cancellationToken).RunAsync();

    private static async ValueTask<TReply> GetReplyAsync<TReply>(ValueTask<RequestResult<TReply>> asking) => (await asking.ConfigureAwait(false)).GetReply();
}

/// <summary>The state of a client's connection.</summary>
public enum ClientState
{
    /// <summary>There is no connection. The client connects for the first time or, with <see cref="MessageHostOptions.Reconnect"/>, again.</summary>
    Connecting = 0,

    /// <summary>Both sides completed the handshake.</summary>
    Connected,

    /// <summary>There is no connection, and the client makes no further attempt.</summary>
    Disconnected,
}
