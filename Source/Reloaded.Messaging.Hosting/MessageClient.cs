using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A client of one server. Created by <see cref="MessageHost.ConnectAsync"/>.</summary>
public sealed partial class MessageClient : MessageHost
{
    private readonly Dialer _dialer;
    private readonly ConnectionSignal _connection = new();
    private ReadOnlyMemory<byte> _token;
    private Peer _server;

    internal MessageClient(Dialer dialer, TransportChannel channel, ReadOnlyMemory<byte> token, MessageHostOptions options)
        : base(options, dialer.Endpoint, dialer.Context)
    {
        _dialer = dialer;
        _token = token;
        _server = Registry.Add(MakePeer(channel));
        _resendQueue = options.Reconnect is { ResendsRequests: true } ? new ResendQueue<Peer>(options.Limits.MaxUnansweredRequests, static peer => peer.IsConnected && peer.Connection.State != ConnectionState.Closing) : null;
    }

    /// <summary>The server as a peer. With <see cref="MessageHostOptions.Reconnect"/>, each new connection has a new peer. Until then, the value is the peer of the lost connection.</summary>
    /// <remarks>In the callback of <see cref="MessageHost.ConnectAsync"/>, the server is not connected yet: sends return <see cref="SendStatus.Closed"/>, and requests end as <see cref="RequestStatus.NotSent"/>.</remarks>
    public Peer Server => Volatile.Read(ref _server);

    /// <summary>Whether the client is connected, is connecting, or has given up.</summary>
    /// <remarks>
    /// <see cref="MessageHost.PeerConnected"/> is raised when the client is connected, and <see cref="MessageHost.PeerDisconnected"/> when the connection ends.
    /// No event is raised when the client gives up: <see cref="WaitForConnectionAsync"/> throws then.
    /// </remarks>
    public ClientState State => GetState(Server);

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
                    throw new TransportClosedException(DescribeDisposal() ?? $"The connection to {server.RemoteName} ended: {server.Disconnected}. The client does not reconnect. Create a new client, or set MessageHostOptions.Reconnect.");
                default:
                    await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
                    break;
            }
        }
    }

    internal override ReadOnlyMemory<byte> Token => _token;

    private ClientState GetState(Peer server) =>
        server.IsConnected ? ClientState.Connected
        : _connection.IsStopped || (Options.Reconnect is null && server.Disconnected is not null) ? ClientState.Disconnected
        : ClientState.Connecting;

    /// <inheritdoc cref="Peer.Send{T}(in T)"/>
    public SendStatus Send<T>(in T message) => Server.Send(in message);

    /// <inheritdoc cref="Peer.SendAsync{T}(T, CancellationToken)"/>
    public ValueTask<SendStatus> SendAsync<T>(T message, CancellationToken cancellationToken = default) => Server.SendAsync(message, cancellationToken);

    /// <inheritdoc cref="Peer.RequestAsync{TReply}(IRequest{TReply}, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.RequestAsync(request, timeout, cancellationToken)
        : GetReplyAsync(RequestWithResendAsync<IRequest<TReply>, TReply>(_resendQueue, Peer.ContractOf(request), request, timeout, cancellationToken));

    /// <inheritdoc cref="Peer.RequestAsync(IRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<Acknowledgement> RequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.RequestAsync(request, timeout, cancellationToken)
        : GetReplyAsync(RequestWithResendAsync<IRequest, Acknowledgement>(_resendQueue, Peer.ContractOf(request), request, timeout, cancellationToken));

    /// <inheritdoc cref="Peer.RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<TReply> RequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.RequestAsync<TRequest, TReply>(in request, timeout, cancellationToken)
        : GetReplyAsync(RequestWithResendAsync<TRequest, TReply>(_resendQueue, MessageContract.GetDeclared<TRequest>(), request, timeout, cancellationToken));

    /// <inheritdoc cref="Peer.TryRequestAsync{TReply}(IRequest{TReply}, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TReply>(IRequest<TReply> request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.TryRequestAsync(request, timeout, cancellationToken)
        : RequestWithResendAsync<IRequest<TReply>, TReply>(_resendQueue, Peer.ContractOf(request), request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.TryRequestAsync(IRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<Acknowledgement>> TryRequestAsync(IRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.TryRequestAsync(request, timeout, cancellationToken)
        : RequestWithResendAsync<IRequest, Acknowledgement>(_resendQueue, Peer.ContractOf(request), request, timeout, cancellationToken);

    /// <inheritdoc cref="Peer.TryRequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, CancellationToken)"/>
    public ValueTask<RequestResult<TReply>> TryRequestAsync<TRequest, TReply>(in TRequest request, TimeSpan? timeout = null, CancellationToken cancellationToken = default) => _resendQueue is null
        ? Server.TryRequestAsync<TRequest, TReply>(in request, timeout, cancellationToken)
        : RequestWithResendAsync<TRequest, TReply>(_resendQueue, MessageContract.GetDeclared<TRequest>(), request, timeout, cancellationToken);
}
